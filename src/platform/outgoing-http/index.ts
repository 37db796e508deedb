export { OutgoingModule } from './outgoing.module.js';
