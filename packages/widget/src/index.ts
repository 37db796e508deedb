import { sharedState } from './loader/contract.js';
import { Session } from './core/session.js';

sharedState().create = (host) => new Session(host);
