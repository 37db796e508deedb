import * as error from '../../client/src/error.js';
import * as dom from './core/dom.js';
import { Session } from './core/session.js';
import { sharedState } from './loader/contract.js';
import * as player from './media/player.js';
import * as volume from './media/volume.js';
import * as openMicrophone from './voice/open-microphone.js';
import * as voiceMode from './voice/voice-mode.js';

const state = sharedState();
// The parts use these instead of copies: their state and their classes exist once. See `SHARED` in scripts.mjs.
state.modules = { error, dom, player, volume, openMicrophone, voiceMode };
state.create = (host) => new Session(host);
