import { meeting } from '../loader/contract.js';
import { Session } from './session.js';

meeting().create = (host) => new Session(host);
