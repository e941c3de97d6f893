import { TEXT } from '../../tree/tags.ts';
import { contextFactor } from './author-weights.ts';
import type { Candidate } from '../shared/candidate.ts';
import { collapse } from '../../tree/text/node-text.ts';
import { IN_BIO } from '../../page/page-context.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { looksLikeLabel, looksLikePerson, refuseName } from '../../page/person-names.ts';

/** Roles of people who write; texts about products or companies rarely name them. */
const ROLE =
  /(?<!\p{L})(?:writers?|authors?|editor|journalist|reporter|blogger|(?:co-?)?founder|creator|coach|consultant|specialist|expert|professor|lecturer|researcher|engineer|developer|designer|scientist|strategist|manager|director|head of|ceo|cto|president|attorney|lawyer|physician|doctor|nurse|dietitian|therapist|teacher|photographer|marketer|contributor|correspondent|columnist|analyst|freelancer?|s?he|hi[sm]|her|autor(?:in|a)?|journalistin|redakteur(?:in)?|gründer(?:in)?|rédact(?:eur|rice)|journaliste|fondat(?:eur|rice)|escritora?|periodista|redactora?|fundadora?|giornalista|scritt(?:ore|rice)|redat(?:or|ora)|jornalista|автор|журналист(?:ка)?|редактор|основатель|dziennikar(?:z|ka)|schrijver|schrijfster|yazar|gazeteci)(?!\p{L})|ライター|記者|編集者|编辑|編輯|作者|기자|작가|كاتب|صحفي|סופר|עיתונאי/iu;

const MAX_NAME = 40;
const MIN_BIO = 40;
/** Maximum nodes and lines between the text and its heading or name. */
const REACH = 14;
const MAX_LINES_BETWEEN = 2;
const MAX_BIOS = 2;

const ABOUT =
  /^\s*(?:about (?:the |this )?author|meet the author|author bio|über (?:den|die) autor(?:in)?|à propos de l[’']aut(?:eur|rice)|sobre (?:el|la|o|a) autora?|(?:informazioni )?sull[’']autore|over de auteur|об авторе|o autor(?:ze|ce)|この記事を書いた人|著者について|关于作者|關於作者|글쓴이 소개|yazar hakkında)\s*(?::\s*)?$/iu;
/** Start of a sentence about a person: "Jane Doe is a …". */
const SUBJECT = /^(\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}),? (?!\p{Lu})\p{Ll}/u;

/**
 * Collects people from author boxes: below a heading such as "About the author", or a name alone in a line above a text
 * that repeats the name and states a role.
 */
export function collectBios(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  for (let node = 1; node < tree.size; node++) {
    if (tree.tag[node] !== TEXT || tree.value[node].length < MIN_BIO) continue;
    const bio = readBio(facts, node);
    if (bio === null || seen.has(bio.value)) continue;
    candidates.push(bio);
    seen.add(bio.value);
    if (seen.size > MAX_BIOS) return [];
  }
  return candidates;
}

function readBio(facts: PageFacts, node: number): Candidate | null {
  const { tree } = facts;
  let nearest = '';
  let text = '';
  let lines = 0;
  for (let i = node - 1; i > 0 && i > node - REACH && lines <= MAX_LINES_BETWEEN; i--) {
    if (tree.tag[i] !== TEXT) continue;
    const line = tree.value[i];
    if (line.length > 2 * MAX_NAME) return null;
    if (!NON_SPACE.test(line)) continue;
    if (lines++ === 0) {
      text = tree.value[node].slice(0, 400).trimStart();
      if (!FIRST_WORD.test(text)) return null;
      nearest = line;
    }
    if (ABOUT.test(line)) {
      const announced = readName(nearest) ?? readName(SUBJECT.exec(text)?.[1] ?? '');
      return announced === null ? null : weigh(facts, node, announced, 'text:about-the-author', 0.6);
    }
    if (!text.startsWith(line.trimStart().split(' ', 1)[0])) continue;
    const read = readName(line);
    if (read === null || !text.startsWith(`${read.split(' ', 1)[0]} `) || !ROLE.test(text)) continue;
    const inBio = (facts.context.get(node) & IN_BIO) !== 0;
    return weigh(facts, node, read, 'bio', read.includes(' ') ? (inBio ? 0.55 : 0.42) : 0.25);
  }
  return null;
}

const NON_SPACE = /\S/;
const FIRST_WORD = /^\p{Lu}[\p{L}'’.-]+(?= )/u;

function weigh(facts: PageFacts, node: number, value: string, source: string, weight: number): Candidate {
  return { source, value, weight: weight * contextFactor(facts, node), family: 'bio' };
}

function readName(line: string): string | null {
  const name = collapse(line);
  if (name.length < 3 || name.length > MAX_NAME || !/^\p{Lu}\p{L}/u.test(name) || /[\d,.:;!?]$/.test(name)) return null;
  return refuseName(name) === null && looksLikePerson(name) && !looksLikeLabel(name) && !ROLE.test(name) ? name : null;
}
