const FENCE = /^\s*(?:```|~~~)/
const RULE = /^\s*(?:(?:[-*_]\s*){3,}|[|\s:]*-{2}[-|\s:]*)$/
/** What may stand before the words of a line: quotes, headings, points of a list, tasks, and a table's edge. */
const BEFORE = /^(?:\s*(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\[[ xX]\](?=\s)|\|))+\s*/
/** Where marks that are escaped, and so are words, stand meanwhile: characters for private use. */
const KEPT = 0xe000
/** An address of a link, in which one pair of brackets may occur. */
const ADDRESS = String.raw`\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)`
const LINK = new RegExp(String.raw`!?\[([^\][\n]{0,500})\]${ADDRESS}`, 'g')

/**
 * Markdown as its words, for where one line of it is shown: without emphasis, headings, links' addresses, fences and the
 * lines of tables. Code keeps what it contains. Takes time in proportion to the length.
 */
export function withoutMarks(text: string): string {
  if (!/[`*_~#>|[\]-]/.test(text)) return text
  const lines: string[] = []
  let code = false
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) code = !code
    else if (code) lines.push(line)
    else if (!RULE.test(line)) lines.push(plainLine(line))
  }
  return lines.join('\n')
}

function plainLine(line: string): string {
  const table = /^\s*\|/.test(line)
  const words = line.replace(BEFORE, '')
  // Every second piece is code.
  const pieces = words.split(/(`{1,3})([^`]+)\1/)
  let plain = ''
  for (let at = 0; at < pieces.length; at += 3) plain += inline(pieces[at]!, table) + (pieces[at + 2] ?? '')
  return table ? plain.replace(/(?: ·)? *$/, '') : plain
}

function inline(text: string, table: boolean): string {
  const plain = text
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!|~>])/g, (_, mark: string) => String.fromCharCode(KEPT + mark.charCodeAt(0)))
    .replace(LINK, '$1')
    .replaceAll(/\*\*|(?<!\w)__(?=\w)|(?<=[^\s_])__(?!\w)|~~/g, '')
    // In pairs only: `*.txt` is a name.
    .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*\n]{1,500})(?<=[^\s*])\*(?![\w*])/g, '$1')
    .replaceAll(/(?<!\w)_(?=[^\s_])([^_\n]{1,500})(?<=[^\s_])_(?!\w)/g, '$1')
  const words = table ? plain.replaceAll(/ *\| */g, ' · ') : plain
  return words.replaceAll(/[\ue020-\ue07e]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - KEPT))
}
