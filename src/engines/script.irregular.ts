/** Forms of verbs that no stemmer brings together, by language: each group is one verb, the first form stands for all. */
const VERBS: Readonly<Record<string, string>> = {
  en:
    'fall fell fallen, eat ate eaten, drink drank drunk, buy bought, bring brought, teach taught, catch caught, break broke broken, ' +
    'freeze froze frozen, fly flew flown, speak spoke spoken, write wrote written, drive drove driven, begin began begun, ' +
    'swim swam swum, sing sang sung, grow grew grown, throw threw thrown, choose chose chosen, forget forgot forgotten, ' +
    'sell sold, build built, keep kept, lose lost, win won, hide hid hidden, bite bitten, shake shook shaken, ' +
    'wake woke woken, steal stole stolen, fight fought, blow blew blown, draw drew drawn, sink sank sunk, stick stuck, ' +
    'sting stung, swell swollen, die died dies dying, marry married marries, carry carried carries, try tried tries, cry cried cries, ' +
    'go went gone, take took taken, run ran, come came, become became, meet met, sit sat, wear wore worn',
  de:
    'essen ass gegessen isst, fahren fuhr gefahren fahrt fahrst, fliegen flog geflogen, ' +
    'trinken trank getrunken, lesen las gelesen liest, sterben starb gestorben stirbt, ' +
    'schwimmen schwamm geschwommen, singen sang gesungen, brennen brannte gebrannt, braten briet gebraten brat, ' +
    'einfrieren eingefroren, gewinnen gewann gewonnen, verlieren verlor verloren, ziehen zog gezogen, umziehen umgezogen, ' +
    'sprechen sprach gesprochen spricht, vergessen vergass vergisst, anfangen angefangen, ' +
    'beginnen begann begonnen, schmelzen schmolz geschmolzen schmilzt, entstehen entstand entstanden entsteht, funktionieren funktioniert, wachsen wuchs gewachsen wachst, ' +
    'stechen stach gestochen sticht, laufen lief gelaufen lauft, waschen wusch gewaschen wascht, ' +
    'werfen warf geworfen wirft, brechen brach gebrochen bricht, fressen frass gefressen frisst, heben hob gehoben, ' +
    'giessen goss gegossen, schneiden schnitt geschnitten, treffen traf getroffen trifft, helfen half geholfen hilft',
  es: 'caer caigo caes cae cayo caido, morir murio muerto muere, nacer nacio nacido nace',
};
const forms = new Map<string, ReadonlyMap<string, string>>();

/** The first form of each irregular one of a language's verbs. */
export function irregularOf(language: string): ReadonlyMap<string, string> {
  const code = language.slice(0, 2);
  let known = forms.get(code);
  if (!known) {
    const groups = (VERBS[code] ?? '').split(', ').map((group) => group.split(' '));
    known = new Map(groups.flatMap(([first, ...others]) => others.map((form) => [form, first!] as const)));
    forms.set(code, known);
  }
  return known;
}
