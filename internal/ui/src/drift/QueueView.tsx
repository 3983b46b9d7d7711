export default function QueueView() {
  return <div />
}
