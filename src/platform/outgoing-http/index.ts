export { outgoingUrlFault, REFUSALS } from './outgoing.fault.js';
export { OutgoingModule } from './outgoing.module.js';
