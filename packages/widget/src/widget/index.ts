import { sharedState } from '../loader/contract.js';
import { Session } from './session.js';

sharedState().create = (host) => new Session(host);
