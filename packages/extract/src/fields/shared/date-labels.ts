export const MODIFIED: RegExp =
  /modif|updat|edited|revis|reviewed|last[-_ ]?(?:change|save|activ|post|seen)|edit-?date|aktualisiert|geändert|mis à jour|modifi|actualiz|atualiz|aggiornat|bijgewerkt|обновл|измен|更新|修改|수정|업데이트|güncel|تحديث|עודכן|ενημ|opdateret|uppdaterad|päivitetty|zaktualiz|aktualizov|cập nhật|diperbarui/i;
export const PUBLISHED: RegExp =
  /publi|posted|pub-?date|created|veröffentlicht|erschienen|gepost|публик|опублик|発表|公開|投稿|发布|發布|发表|發表|作成|掲載|게시|입력|등록|작성|yayın|نشر|פורסם|δημοσ|udgivet|publicerad|julkaistu|opublikowano|zveřejněno|đăng|diterbitkan|released|written/i;
export const ORIGINAL: RegExp =
  /origin(?:al)?ly\s+(?:publi|posted|appeared)|first\s+publi|zuerst\s+(?:erschienen|veröffentlicht)|publié\s+initialement|publicado\s+originalmente/i;
export const EVENT: RegExp =
  /\bevents?\b|expir|deadline|copyright|©|\bborn\b|founded|\bsince\b|valid until|\bdue\b|joined|registered|anmeldedatum|registriert|(?:mitglied|dabei) seit|inscrit|inscription|registrado|iscritto|lid sinds|geregistreerd|dołączył|rejestracja|регистрация|зарегистрирован|登録日|calendar|\bhours\b|\bmember since\b|\bvalid (?:from|to|through)\b|gültig (?:ab|bis)|\beffective\b|\bas of\b/i;

const LABEL = new RegExp(`(${MODIFIED.source})|${PUBLISHED.source}`, 'gi');
const DIGIT = /\p{Nd}/u;

/** "(1月14日 01時40分更新)": its label may stand behind the date. */
const CHANGE_IN_BRACKETS = new RegExp(
  `[(（［\\[][^()（）［］[\\]]{0,60}?(?:${MODIFIED.source})[^()（）［］[\\]]{0,60}[)）］\\]]`,
  'gi',
);

export interface LabelledText {
  readonly label: 'published' | 'modified' | 'none';
  readonly text: string;
}

/**
 * Splits "May 3, 2024 (updated May 4, 2024)" into an unlabelled date and the date of a change. Text with only
 * publication labels is not split.
 */
export function splitAtLabels(text: string): LabelledText[] {
  if (!MODIFIED.test(text)) return [{ label: PUBLISHED.test(text) ? 'published' : 'none', text }];
  const first = text.replace(CHANGE_IN_BRACKETS, (change) => (DIGIT.test(change) ? '' : change));
  if (first !== text && DIGIT.test(first)) return splitAtLabels(first);
  const labels: LabelledText['label'][] = [];
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(LABEL)) {
    parts.push(text.slice(from, match.index));
    labels.push(match[1] === undefined ? 'published' : 'modified');
    from = match.index + match[0].length;
  }
  const rest = text.slice(from);
  // A text that starts with a date and ends with a label has its labels after the dates: "2024年5月3日 更新".
  if (DIGIT.test(parts[0]) && !DIGIT.test(rest)) return labels.map((label, i) => ({ label, text: parts[i] }));
  return [...parts, rest].map((part, i) => ({ label: labels[i - 1] ?? 'none', text: part }));
}

/** Cuts the text before a date to its last label, the nearest one. */
export function cutToLastLabel(text: string): string {
  // Most texts have no label; `matchAll` copies the expression first.
  if (text.search(LABEL) < 0) return text;
  return text.slice([...text.matchAll(LABEL)].at(-1)?.index ?? 0);
}
