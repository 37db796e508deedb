export { outgoingUrlFault, type Refusal, REFUSALS, refusalOf } from './outgoing.address.js';
export { type OutgoingCall, OutgoingError, OutgoingHttp } from './outgoing.http.js';
export { OutgoingModule } from './outgoing.module.js';
