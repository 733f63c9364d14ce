/**
 * What others may have written, between marks that say so. It can neither end its mark nor begin another of the kind: the
 * rest of it stays as it is, because it may be a program or a page that is to be worked on.
 */
export function fenced(kind: 'attachment' | 'data' | 'conversation' | 'summary', about: Fence, text: string): string {
  const attributes = Object.entries(about).map(([name, value]) => ` ${name}=${quoted(value)}`)
  const inside = text.replace(MARKS[kind], '&lt;')
  return `<${kind}${attributes.join('')}>\n${inside}\n</${kind}>`
}

type Fence = Readonly<Record<string, string>>

const MARKS = {
  attachment: mark('attachment'),
  data: mark('data'),
  conversation: mark('conversation'),
  summary: mark('summary'),
}

/**
 * However it is written: with any number of spaces, or of characters that nobody sees, in between. None of them is a letter or
 * a mark of its own, so that a text is read in one pass however many there are.
 */
function mark(kind: string): RegExp {
  const unseen = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`
  return new RegExp(`<(?=${unseen}(?:/${unseen})?${[...kind].join(unseen)})`, 'giu')
}

/** Names and addresses come from elsewhere, too, and are on one line. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
