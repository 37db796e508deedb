/** How a language asks for what the user said before. Phrases are as in `format/script-file.ts`. */
export interface RecollectWords {
  /** Asks for it in so many words: `what did I say`. */
  readonly explicit: readonly string[];
  /** May ask for it: `how old is my`. */
  readonly implicit: readonly string[];
  /** Asks for it only if something that was said answers it: `how old is Theo`. */
  readonly possible: readonly string[];
  /** Asks for advice, and for what was said only if that answers it: `what do I do with`. */
  readonly advice: readonly string[];
  /** Words of such questions that say nothing of what is asked for. */
  readonly asking: readonly string[];
  /** Words that mean nearly the same of someone's life, each group as one. */
  readonly alike: readonly (readonly string[])[];
}

/** In any language. */
export const PRONOUNS = new Set(
  'he she it they his her their its er sie es ihr sein ihre seine el ella se su tiene es ellos ellas'.split(' '),
);
export const TIMES = new Set(
  (
    'today tonight tomorrow yesterday next weekend week month monday tuesday wednesday thursday friday saturday sunday ' +
    'january february march april may june july august september october november december christmas easter spring summer autumn winter ' +
    'heute morgen gestern nachste nachsten nachster ubermorgen wochenende woche monat montag dienstag mittwoch donnerstag freitag samstag sonntag ' +
    'januar februar marz mai juni juli oktober dezember weihnachten ostern fruhling sommer herbst ' +
    'hoy manana ayer proximo proxima semana mes lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio ' +
    'agosto septiembre octubre noviembre diciembre navidad verano invierno otono primavera ' +
    'mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends montags dienstags mittwochs donnerstags freitags samstags sonntags sabados domingos'
  ).split(' '),
);
/** A place as it is written: `from Leeds`. */
export const PLACE = /(?:^|\s)(?:from|in|to|de|en|a|aus|nach)\s(?:the |der |die |dem |la |el |los |las )?\p{Lu}\p{Ll}/u;
/** Names by `one` what was named before. */
export const NEXT_ONE =
  /^(?:the|my|our|and my|and the)? ?(?:next|last|first|second|other|oldest|youngest|new|old) one(?:['’]?s| is| was)\b/iu;

const words = (text: string): readonly string[] => text.split(' ');

export const RECOLLECT_WORDS: Readonly<Record<string, RecollectWords>> = {
  en: {
    explicit: [
      'did i (just |)(say|tell|mention|call|name|write)',
      '(have|had) i (just |already |)(told|said|mentioned)',
      '(what|where|when|who|which|how) i (just |)(said|told|mentioned)',
      '(do|can|could|would|did) you (still |even |)(remember|recall)',
      'you (still |)(remember|recall)',
      'remind me (what|who|where|when|how|of|which)',
      'what was (it |that |)i (said|told)',
      'i (told|said|mentioned) (it |that |this |)(earlier|before|you)',
      '(forgot|forgotten) (what|where|when|who|how old) (my|i)',
      'know (what|where|when|who|how old) (my|i) & !not',
      '(what|who|where|when|which|how) * again$',
      '(which|what) (country|city|town|place) (i|do i|am i|did i)',
      'what (did|do) i (say i |)(wanna|want to) (do|be|study)',
    ],
    possible: [
      '(where|how old|when) (is|was|are|does|did|do) (he|she|they)',
      'how old (is|are|was)',
      'how (much|many)',
      '(when|where) (is|are|was|does|do)',
      '(what|which) (day|date|month|year) (is|are|do|does|did) (he|she|they|it)',
      '(what|which) (city|town|country) (is|does|do|are) (he|she|they)',
    ],
    implicit: [
      '(what|who|when|where) (is|was|are|were) my',
      'how old (is|are|was|were) (my|our)',
      'how many * (do|did|have|am) (i|we)',
      '(where|when) (do|did|are|were|will) we',
      '(where|when) (do|did|am|was) i (live|work|from|go|going|stay|staying|move|start|leave|leaving|fly|flying|born)',
      'what (do|did|am) i (do|study|studying|play|have|cook|cooking|plan|planning|learn|learning)',
      'who (is|was|did|am) (i|coming|visiting)',
      '(what|which) (time|day|month|year|colour|city|town|instrument) (is|was|do|did|am) (my|i)',
      'what is (his|her|their|its) name',
      'what (is|was) (he|she) called',
    ],
    advice: [
      'what (do|can|should|could|would) (i|we) do (with|about|if|when|now|then|next|against|to|for|first)',
      '(what|how|where) (do|can|should|could) (i|we) (start|begin|write|say|tell)',
      'what (do|can|should|could) (i|we) (give|bring|wear|use|cook)',
      'how (much|many) * (do|should|would|will) (i|we) (need|take|use|buy)',
      'what (did|do|am) i (do|doing|did) wrong',
      'what (are|is) my (strengths|weaknesses|strength|weakness|chances|options|rights)',
      '(what|who) (can|could) (help|i ask)',
    ],
    asking: words(
      'said say tell told mention mentioned remember recall remind know forget forgot forgotten name called old again earlier still just many live write wrote leave leaving come coming arrive arriving start starting begin due happen month next year doing do',
    ),
    alike: [
      words('live lived living moved move town city home country place'),
      words('wife spouse'),
      words('company companion'),
      words('money pound pounds euro euros dollar dollars'),
      words('job work works working profession'),
      words('coming come comes visit visits visiting over'),
      words('fly flying flight travel travelling trip going plane'),
      words('throwing organised organising hosting giving planned planning'),
      words('married wedding anniversary'),
    ],
  },
  de: {
    explicit: [
      '(habe ich|ich) * (gesagt|erzahlt|erwahnt|genannt|geschrieben)',
      '(weisst|erinnerst) du (noch|dich)',
      'hast du (dir |)(gemerkt|behalten)',
      'erinner* mich (daran |)(was|wer|wo|wann|wie|an)',
      '(was|wie|wo|wann|wer) war (das |)(nochmal|noch mal|gleich|noch) (mein|meine|mit)',
      '(was|wer|wie|wo|wann) (habe|hatte|bin|war|ist) ich (nochmal|noch mal|noch gleich)',
      '(was|wer|wo|wann|wem|wen|wie alt|wie viele|wie viel) * (nochmal|noch mal|gleich)$',
      '(was|wer|wo|wann|wie alt) (war|ist|wird|hiess|heisst) (nochmal|noch mal|noch gleich)',
    ],
    possible: [
      '(wo|wie alt|wann) (ist|war|wohnt|lebt|kommt) (er|sie)',
      'wie alt (ist|sind|war)',
      '(wann|wo) (ist|kommt|war|wohnt|fliegt|ziehe)',
    ],
    implicit: [
      '(wie alt|wer|wann|wo|was) (ist|war|sind|waren|wird) * (mein|meine)',
      'wie (heisst|heissen|hiess) (nochmal |noch mal |noch |denn |eigentlich |)(mein|meine|er|sie)',
      'wie viele * (habe|hatte|haben|brauche) (ich|wir)',
      'wann (kommt|kommen|fahre|fliege|ziehe|habe|muss|fange|beginnt|ist|gehe) (ich|wir|mein|meine|der|die|das)',
      '(wo|woher|wohin) (wohne|lebe|arbeite|war|bin|fahre|fliege|ziehe|komme) ich',
      'was (mache|studiere|lerne|arbeite|bin) ich( beruflich| von beruf| nochmal|)$',
      'wer (kommt|besucht)',
      'wie ?viel * (habe|hab) ich (noch|$)',
      '(aus welchem land|aus welcher stadt|in welcher stadt|in welchem land) (komme|wohne|lebe|bin) ich',
    ],
    advice: [
      'was mache ich (mit|gegen|wenn|jetzt|dann|nun|falsch|bei|zuerst|als|am besten)',
      '(wo|womit|wie|wann) (fange|beginne|soll|kann) ich',
      'wie viel* * (brauche|nehme|rechne|kaufe) (ich|wir|man)',
      'was (schreibe|sage|ziehe|bringe|nehme|gebe|koche|schenke) ich',
      'was (sind|ist) meine (starken|schwachen|starke|schwache|chancen|rechte)',
      'was (hilft|kann helfen)',
    ],
    asking: words(
      'gesagt erzahlt erwahnt genannt geschrieben weisst erinnerst gemerkt nochmal noch heisst heissen hiess alt name viele wohne lebe vorhin eben gerade mal denn',
    ),
    alike: [
      words('wohne wohnen lebe leben gezogen umgezogen ziehe stadt komme'),
      words('arbeite arbeit beruf job arbeitet beruflich'),
      words('kommt kommen besuch besucht besuchen'),
      words('geld euro euros'),
      words('frau ehefrau'),
      words('mann ehemann'),
      words('mag magst mogen'),
      words('fliege fahre reise urlaub flug verreise'),
      words('verheiratet hochzeitstag geheiratet hochzeit'),
    ],
  },
  es: {
    explicit: [
      '(que|donde|cuando|quien|cuantos|cuantas|como|cual|cuanto) * (dije|he dicho|conte|he contado|mencione|escribi)',
      'te (dije|conte|he dicho|he contado|habia dicho) (que|de|como|donde|cuando|antes)',
      '(te acuerdas|recuerdas|te acordas)',
      'recuerdame (que|quien|donde|cuando|como|cuantos)',
      'sabes (todavia|aun)',
      'que ya no me acuerdo',
      '(que|de donde|donde|quien|cuanto) (queria|iba|era|tenia|soy|vivo) (yo|hacer|estudiar)',
      'que * (busco|estudio|hago|queria) yo',
      '(de|en|a) que (pais|ciudad|pueblo) (soy|vivo|vengo|me he|me mude)',
      'donde me (dolia|duele)',
    ],
    possible: ['cuantos anos tiene', 'que edad tiene', '(cuando|donde) (es|llega|esta|vive|viene|era|trabaja)'],
    implicit: [
      '(cuantos anos|que edad) (tiene|tienen|tenia) (mi|mis)',
      'como se (llama|llaman|llamaba) (mi|mis|ella|el|$)',
      'cuando (es|era|viene|vienen|tengo|llega|llegan|voy|empiezo|cumple|empieza|me|nos) (mi|mis|el|la|mudo|voy|$)',
      'cuando (vienen|viene|llegan|llega|tengo|empiezo|viajo|vuelo)',
      'cuando (me|fui|hice|compre|empece|llegue)',
      '(donde|de donde|adonde|a donde) (vivo|trabajo|soy|estuve|vive mi|viajo|voy)',
      'cuantos * (tengo|somos|vienen|hay)',
      'cuantas * (tengo|somos|vienen)',
      '(quien|quienes) (es mi|era mi|viene|vienen)',
      'que (estudio|toco|estudia mi|aprendo)$',
      'en que trabajo',
      'a que hora (es|tengo|empieza|voy|llega)',
      '(cual|que) (es|era) mi',
    ],
    advice: [
      'que hago (con|si|cuando|ahora|para|contra|entonces|mal|primero)',
      '(por donde|como) (empiezo|empezamos|comienzo)',
      '(cuanto|cuanta|cuantos|cuantas) * (necesito|necesitamos|pongo|uso|compro|falta)',
      'que (le |les |)(digo|escribo|regalo|llevo|pongo|doy|cocino)',
      '(cual|cuales) (es|son) mis (puntos|virtudes|defectos|derechos|opciones)',
      'que (ayuda|puede ayudar)',
    ],
    asking: words(
      'dije dicho conte contado mencione acuerdas recuerdas recuerdame sabes llama llaman llamaba anos edad tiene tienen cuantos cuantas todavia aun antes vivo escribi nombre',
    ),
    alike: [
      words('vivo vivir mudado mude mudamos ciudad pais pueblo'),
      words('mujer esposa'),
      words('marido esposo'),
      words('dinero euro euros pesos'),
      words('quiero queria'),
      words('busco buscaba'),
      words('duele dolia dolor'),
      words('trabajo trabajar profesion empleo'),
      words('viene vienen venir visita visitan visitarme'),
      words('viajo viaje vuelo voy viajamos avion'),
      words('casados casado casada boda aniversario'),
    ],
  },
};
