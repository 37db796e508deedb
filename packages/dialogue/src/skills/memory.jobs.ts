import { Sentence } from '../text/sentences.js';

/** Say what someone is or was (`war` is read as `wär`), by work or otherwise, as the first words of what tells it; with the last ones only by work. */
const IS_OR_WAS =
  /^(?:i (?:am|was|used to be) |(?:ich )?(?:bin|ware?) |[a-z]+ (?:ware?|bin) ich |(?:yo )?(?:soy|fui|era) )/u;
const BY_WORK = /(?:beruf|profesion)$/u;
/** What someone is by work, by language: "I was a teacher", but not "I was a mess". */
const JOBS: Readonly<Record<string, RegExp>> = {
  en: /(?:[^aeiou]er|[aeiou]er|or|ist|ian|ant|eur)$|^(?:nurse|student|chef|cook|pilot|vet|maid|judge|priest|farmhand|coach|clerk|guard|architect|surgeon|midwife|actress|waitress|scientist|trainee|apprentice|intern|secretary|housewife|electrician|miner)$/iu,
  de: /(?:erin|istin|entin|eurin|orin|wirtin|ärztin|köchin|frau|mann|kraft|wirt|arzt|anwalt|anwältin|ist|eur|beamter|beamtin|beamte|angestellter|angestellte|krankenschwester|hebamme|student|azubi|lehrling|koch)$|(?:lehr|schrein|tischl|maur|bäck|metzg|mal|fahr|verkäuf|pfleg|gärtn|schneid|deck|schloss|kelln|künstl|musik|informatik|programmier|mechanik|elektrik|händl|richt|arbeit|först|fisch|halt|meist|erzieh|zimmer|schust|fris|dolmetsch|übersetz|trein|train|führ|manag|sekretä?r|bauer|rentn)(?:er|manager|rentner)?$/iu,
  es: /(?:er[oa]|ador|adora|tor|tora|ista|ente|enta|ante|ólog[oa])$|^(?:médic[oa]|abogad[oa]|maestr[oa]|secretari[oa]|funcionari[oa]|matrona|policía|chófer|chofer|albañil|sastre|juez|piloto|azafata|profesor|profesora|profe|mecánic[oa]|informátic[oa]|músic[oa]|actriz|arquitect[oa]|militar|conserje|taxista|psicólog[oa]|modista|estudiante)$/iu,
};
/** Words that end as those do, and are none. */
const NONE = new Set(
  (
    'winner loser former other lover later better earlier beginner believer stranger teenager smoker drinker player mother father brother sister daughter member killer disaster ' +
    'frau mann ehefrau ehemann ist bist jemand niemand ' +
    'soltero soltera sincero sincera primero primera extranjero extranjera entero entera verdadero consciente paciente inteligente diferente importante valiente presente ausente cliente ' +
    'independiente adolescente fuera tercero tercera ligero ligera era'
  ).split(' '),
);

/** Whether a word names what someone is by work. */
export function isJob(value: string, language: string): boolean {
  return !NONE.has(value.toLowerCase()) && (JOBS[language]?.test(value) ?? false);
}

/** "I was a nurse", which says of what kind that is no more than "I was a mess". */
export function saysWhatIs({ words }: Sentence, at: number): boolean {
  const said = words.slice(at, at + 4).map(({ text }) => text);
  return IS_OR_WAS.test(said.join(' ')) && !said.some((word) => BY_WORK.test(word));
}
