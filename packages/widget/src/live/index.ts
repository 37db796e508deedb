import { addPart } from '../core/parts.js';
import { LiveVoice } from './live-voice.js';

addPart('live', { LiveVoice });
