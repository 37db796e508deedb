import { addPart } from '../core/parts.js';
import { notify } from './notify.js';
import { People } from './people.js';
import { speak } from './speak.js';
import { peopleStrings } from './strings.js';
import { Typist } from './typist.js';

addPart('people', { People, Typist, notify, peopleStrings, speak });
