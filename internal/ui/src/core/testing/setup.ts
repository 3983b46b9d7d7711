// What the tests need before the first of them: the engine, started.

import "@automerge/automerge"
