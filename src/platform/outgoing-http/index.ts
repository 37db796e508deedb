export { outgoingUrlFault, REFUSALS, refusalOf } from './outgoing.address.js';
export { OutgoingError, OutgoingHttp } from './outgoing.http.js';
export { OutgoingModule } from './outgoing.module.js';
