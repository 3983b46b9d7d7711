package torture

// three is three nodes with some nats-servers.
func three(servers int) layout { return layout{nodes: 3, servers: servers} }

// faults are all there are, in the order of kj torture all.
var faults = append([]fault{
	{"kill-node", "kill -9 of a node under load, again and again", 10, three(1), killNode, nil},
	{"kill-nats", "kill -9 of the nats-server, 3 s down", 3, three(1), killNATS, nil},
	{"stop-nats", "the nats-server hangs (SIGSTOP), 6 s, and goes on", 3, three(1), stopNATS, nil},
	{"wipe-nats", "the nats-server's data is gone, while a node is down", 2, three(1), wipeNATS, nil},
	{"leader", "three nats-servers, kill -9 of the one that leads, in turn", 3, three(3), killLeader, nil},
	{"partition", "three machines, each a node with its nats-server, one is cut off for 12 s", 3,
		layout{nodes: 3, servers: 3, machines: 3}, partition, nil},
	{"isolate", "a node alone is cut off from its nats-server and from all others for 5 s", 3,
		layout{nodes: 3, servers: 1, machines: 3}, isolate, nil},
	{"tail-loss", "the nats-server loses the end of its streams and uses their sequence numbers again", 2, three(1), loseTail, nil},
	{"clock", "nodes whose clocks are an hour ahead and an hour behind", 1,
		layout{nodes: 3, servers: 1, env: map[int][]string{1: {clockEnv + "=1h"}, 2: {clockEnv + "=-1h"}}}, skewClock, nil},
	{"slow-consumer", "a follower and a NATS subscriber that do not read, and a node that hangs", 1, three(1), consumeSlowly, nil},
	{"mixed-1", "one node, and everything at once: faults, hostile peers, revocations, under a schedule that the seed makes", 0, layout{nodes: 1}, nil, playMixed},
	{"mixed-3", "the same on three nodes", 0, three(1), nil, playMixed},
	{"drift", "kill -9 of the server while drifts are flushed, staged, pushed, replayed and consented to", 1000, layout{nodes: 1}, nil, driftAlone},
	{"drift-nodes", "drifts of one source flushed and cancelled at three nodes, and kill -9 of nodes meanwhile", 60, three(1), nil, driftNodes},
	{"git", "typing, sed -i, commits, switches of the branch and kill -9 of the server, in one worktree, for a minute", 1, layout{nodes: 1}, nil, tortureGit},
}, diskFaults...)

// clockEnv is the environment variable by which kj serve is told to live in
// another time.
const clockEnv = "KJ_CLOCK_OFFSET"
