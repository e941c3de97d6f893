import { TAG, TEXT } from '../tree/tags.ts';
import { contextFactor } from './author-weights.ts';
import type { Candidate } from './candidate.ts';
import { collapse } from './node-text.ts';
import { IN_BIO } from './page-context.ts';
import type { PageFacts } from './page-facts.ts';
import { looksLikeLabel, looksLikePerson, refuseName } from './person-names.ts';

/** What people who write are said to be; a text on a product or a company rarely says so. */
const ROLE =
  /(?<!\p{L})(?:writers?|authors?|editor|journalist|reporter|blogger|(?:co-?)?founder|creator|coach|consultant|specialist|expert|professor|lecturer|researcher|engineer|developer|designer|scientist|strategist|manager|director|head of|ceo|cto|president|attorney|lawyer|physician|doctor|nurse|dietitian|therapist|teacher|photographer|marketer|contributor|correspondent|columnist|analyst|freelancer?|s?he|hi[sm]|her|autor(?:in|a)?|journalistin|redakteur(?:in)?|gründer(?:in)?|rédact(?:eur|rice)|journaliste|fondat(?:eur|rice)|escritora?|periodista|redactora?|fundadora?|giornalista|scritt(?:ore|rice)|redat(?:or|ora)|jornalista|автор|журналист(?:ка)?|редактор|основатель|dziennikar(?:z|ka)|schrijver|schrijfster|yazar|gazeteci)(?!\p{L})|ライター|記者|編集者|编辑|編輯|作者|기자|작가|كاتب|صحفي|סופר|עיתונאי/iu;

const MAX_NAME = 40;
const MIN_BIO = 40;
/** How many nodes behind the name its text may begin, and how many lines (a role, a place) may lie between. */
const REACH = 14;
const MAX_LINES_BETWEEN = 2;
const MAX_TEXTS = 20_000;
/** A page with more of them presents a team, not its author. */
const MAX_BIOS = 2;

/**
 * Names that stand alone above a text that begins with the name again and says what the person does: the
 * box in which pages present their author ("Jane Doe" – "Jane is a journalist in …").
 */
export function collectBios(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  let texts = 0;
  for (let node = 1; node < tree.size && texts < MAX_TEXTS; node++) {
    if (tree.tag[node] !== TEXT) continue;
    texts++;
    const name = readAnnounced(facts, node) ?? readName(tree.value[node]!);
    if (name === null || seen.has(name)) continue;
    if (ABOUT.test(tree.value[node]!))
      return [{ source: 'text:about-the-author', value: name, weight: 0.6, family: 'bio' }];
    if (!introduces(facts, node, name)) continue;
    candidates.push(toCandidate(facts, node, name));
    seen.add(name);
    if (seen.size > MAX_BIOS) return [];
  }
  return candidates;
}

/** Headings of the box. */
const ABOUT =
  /^\s*(?:about (?:the |this )?author|meet the author|author bio|über (?:den|die) autor(?:in)?|à propos de l[’']aut(?:eur|rice)|sobre (?:el|la|o|a) autora?|(?:informazioni )?sull[’']autore|over de auteur|об авторе|o autor(?:ze|ce)|この記事を書いた人|著者について|关于作者|關於作者|글쓴이 소개|yazar hakkında)\s*:?\s*$/iu;
/** "Jane Doe is a …": the capitalised words that begin a sentence on a person. */
const SUBJECT = /^(\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}),? (?!\p{Lu})\p{Ll}/u;

/** The name behind a heading of the box: a line of its own, or the subject of the first sentence. */
function readAnnounced(facts: PageFacts, node: number): string | null {
  const { tree } = facts;
  const heading = tree.value[node]!;
  if (heading.length > MAX_NAME * 2 || !ABOUT.test(heading)) return null;
  const stop = Math.min(tree.size, node + REACH);
  for (let i = node + 1; i < stop; i++) {
    if (tree.tag[i] !== TEXT) continue;
    const text = collapse(tree.value[i]!.slice(0, 400));
    if (text !== '') return readName(text) ?? readName(SUBJECT.exec(text)?.[1] ?? '');
  }
  return null;
}

function toCandidate(facts: PageFacts, node: number, value: string): Candidate {
  const inBio = (facts.context.get(node) & IN_BIO) !== 0;
  const weight = (value.includes(' ') ? (inBio ? 0.55 : 0.42) : 0.25) * contextFactor(facts, node);
  return { source: 'bio', value, weight, family: 'bio' };
}

/** A person's name that is a whole text; most texts fail at the first tests. */
function readName(text: string): string | null {
  if (text.length < 3 || text.length > MAX_NAME * 2) return null;
  const name = collapse(text);
  if (name.length < 3 || name.length > MAX_NAME || !/^\p{Lu}\p{L}/u.test(name) || /[\d,.:;!?]$/.test(name)) return null;
  return refuseName(name) === null && looksLikePerson(name) && !looksLikeLabel(name) && !ROLE.test(name) ? name : null;
}

/** Whether a text that begins with the name, or with its first word, and tells a role follows soon. */
function introduces(facts: PageFacts, node: number, name: string): boolean {
  const { tree } = facts;
  const first = name.split(' ', 1)[0]!;
  const stop = Math.min(tree.size, node + REACH);
  let between = 0;
  for (let i = node + 1; i < stop; i++) {
    if (tree.tag[i] !== TEXT || tree.tag[tree.parent[i]!] === TAG.script) continue;
    const text = collapse(tree.value[i]!.slice(0, 400));
    if (text === '') continue;
    if (text.length >= MIN_BIO && (text.startsWith(`${name} `) || text.startsWith(`${first} `))) return ROLE.test(text);
    if (++between > MAX_LINES_BETWEEN) return false;
  }
  return false;
}
