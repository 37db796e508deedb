/**
 * A script: one folder, one file a language (`en.jsonl`, `pt.jsonl`, `pt-BR.jsonl`) in UTF-8 and JSON Lines. Each line is
 * an object: an {@link Intent}, which is something that people say with what the avatar answers, or, at most once a
 * file, {@link LanguageWords}. Empty lines, and lines that begin with `//`, are left out.
 *
 * ```
 * // The opening hours changed in May.
 * {"id":"opening","say":["when are you open","opening hours"],"answer":["From nine to five."]}
 * {"id":"joke","answer":["What is brown and sticky? A stick."]}
 * ```
 *
 * The folders of `catalogue/scripts` are the scripts that come with the service. `shared` there has what every avatar
 * understands, and `care` what is said to words of danger: both belong to every script, wherever it is.
 *
 * **Examples** (`say`) are what people may say, in plain words. Endings, typing errors and the order of words do not
 * matter, nor do words that say little; what a request says besides does. An intent answers only if an example and the
 * request have nearly everything in common: give five to ten examples with different words. `@joke` stands for the
 * examples of the intent `joke`.
 *
 * **Patterns** (`match`) are found anywhere in a sentence, whatever else it says, word by word, whatever the case and
 * accents; in Chinese, Japanese and Thai each character is a word.
 *
 * | Written | Meaning |
 * |---|---|
 * | `how are you` | these words side by side |
 * | `tired*` | a word that starts so |
 * | `what * music` | up to four words between |
 * | `(hi\|hello) there`, `joke( please\|)` | one of these; an empty one makes it optional |
 * | `^yes`, `yes$`, `^yes$` | only at the start, only at the end, all of the sentence |
 * | `my name is {name}`, `{city:2}` | a slot: up to three (two) words, remembered; it ends with the clause; a name has no digits |
 * | `i am {first_name}` | a slot for a common first name, remembered as `name` |
 * | `@joke` | the patterns of that intent |
 * | `air & (no\|hardly) & !show` | also these, and not that, among the fifteen words before and behind |
 *
 * **Answers** are chosen by a hash of the request and the length of the history, from those whose `{slots}` are all
 * known, those with the most slots first, and not from the latest answers as long as others are left. `{name}` is what a
 * slot caught last, in any turn; `{Name}` the same with a capital. Always known: `{avatar}`, `{time}`, `{date}`,
 * `{weekday}`, `{year}`, `{zone}` of the service; `{last}` is the last answer, `{time_there}` and `{day_there}` are those in
 * the city of the slot `{place}`, if it is known. `{topics}` are three of the answers of the intent `topics`.
 *
 * **An avatar's line** with the id of a shared intent, or of one of `care`, has that intent's examples and patterns too: it
 * only needs its own `answer`. `"off": true` takes a shared intent away.
 *
 * **Intents with a meaning of their own**: `unknown` is said to a question that nothing answers, `heard` to anything else that
 * nothing answers, `topics` are what the avatar can talk about, as nouns, `greeted` goes around an answer that
 * has none to who greets (`Hello! {text}`), `no_result` is said to a calculation without one.
 */
export interface Intent {
  /** Unique in the file. Lines of `care` may share one: their patterns add up. */
  readonly id: string;
  /** At most 60 examples. */
  readonly say?: readonly string[];
  /** At most 200 patterns. */
  readonly match?: readonly string[];
  /** Patterns in whose presence those of `match` are not found. */
  readonly unless?: readonly string[];
  readonly answer?: readonly string[];
  /** What the user may say next. */
  readonly then?: readonly FollowUp[];
  /** Said beside something else, such as a greeting or thanks: it is no answer to the rest. */
  readonly aside?: true;
  /** Asks for a person. Where one may take over, the conversation is handed over instead of the answer. */
  readonly handover?: true;
  readonly off?: true;
  /** Only in `care`: from 90 to 100 it goes before everything, in all languages; below 0 it is said if nothing answers. */
  readonly priority?: number;
}

/** Answers to what is said right after an intent has answered. */
export interface FollowUp {
  /** As in an intent. If left out, it takes a short reply that does not ask, and that nothing else answers. */
  readonly say?: readonly string[];
  readonly match?: readonly string[];
  readonly answer?: readonly string[];
  /** Instead of `answer`: one of the intent's, once more. */
  readonly again?: true;
  readonly then?: readonly FollowUp[];
}

/** How a language is read: a line `{"words": …}` of a file in `care`. */
export interface LanguageWords {
  /** Spellings to read as others, before anything is compared: `i'm` → `i am`. Not repeated on its own result. */
  readonly read?: Readonly<Record<string, string>>;
  /** Words that no slot takes: `and`, `but`, `because`. */
  readonly stops?: readonly string[];
  /** Words that say little about what a request is about: `the`, `is`. */
  readonly common?: readonly string[];
  /** Words that say nothing: `please`, `really`. */
  readonly filler?: readonly string[];
  /** Words for who is spoken of: `i`, `your`, `she`. */
  readonly persons?: readonly string[];
  /** Words that ask for something of a kind: `who`, `when`. */
  readonly questions?: readonly string[];
  /** Words that deny: `not`, `never`. */
  readonly denials?: readonly string[];
  /** Words that a sentence begins with that asks for something: `who`, `can`, `tell`. */
  readonly asking?: readonly string[];
  /** Words that are no typing error of a word of danger. */
  readonly known?: readonly string[];
}

/** A file, read. */
export interface ScriptFile {
  readonly intents: readonly Intent[];
  readonly words?: LanguageWords;
}

/** A script that cannot be used; `faults` each start with a place: a file and a line. */
export class ScriptError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ScriptError';
  }
}
