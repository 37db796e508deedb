// The fastest and broadest come first, since the first failure is the last test.
import '../../src/chat/turns/turn.slots.spec.js';
import '../e2e/chat.e2e-spec.js';
import '../e2e/turn.e2e-spec.js';
import '../e2e/archive.e2e-spec.js';
import '../e2e/message-events.e2e-spec.js';
import '../e2e/turn-traces.e2e-spec.js';
import '../e2e/turn-faults.e2e-spec.js';
import '../e2e/retention.e2e-spec.js';
import '../e2e/database-lost.e2e-spec.js';
