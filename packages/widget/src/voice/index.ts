import { addPart } from '../core/parts.js';
import { Voice } from './voice.js';

addPart('voice', { Voice });
