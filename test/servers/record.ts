import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figures } from './figures.ts'
import { SERVERS } from './list.ts'

const DOCUMENT = join(import.meta.dirname, '../../docs/servers.md')
const BEGIN = '<!-- figures: written by npm run servers -- --record -->'
const SAID = 90

/** Replaces everything in the document below its mark. */
export async function recordFigures(all: readonly Figures[]): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8')
  const at = text.indexOf(BEGIN)
  if (at === -1) throw new Error(`${DOCUMENT} has no mark.`)
  await writeFile(DOCUMENT, `${text.slice(0, at)}${BEGIN}\n\n${table(all)}`)
}

function table(all: readonly Figures[]): string {
  const count = (outcome: Figures['outcome']) => all.filter((each) => each.outcome === outcome).length
  const head = ['Server', 'Packed, unpacked', 'Enabled in', 'Memory', 'Tools', 'Call', 'What it gave']
  const rows = all.map((each) => [
    `\`${each.package}\` ${each.version}`,
    each.packed_mib === undefined ? '' : `${each.packed_mib.toFixed(1)}, ${each.unpacked_mib} MiB`,
    each.start_ms === undefined ? '' : `${(each.start_ms / 1000).toFixed(1)} s`,
    each.memory_mib === undefined ? '' : `${each.memory_mib} MiB`,
    each.tools === undefined ? '' : String(each.tools.length),
    each.call === undefined ? '' : `\`${each.call}\``,
    said(each),
  ])
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    `**${count('result') + count('error')} of ${all.length} acted**: ${count('result')} with a result, ${count('error')} with an error of their own, because what they`,
    `work with is not here; ${count('none')} did not. All that started ran at the level \`isolated\`.`,
    '',
    line(head),
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map(line),
    '',
  ].join('\n')
}

function said({ package: name, outcome, said: text }: Figures): string {
  const note = SERVERS.find((server) => server.package === name)?.note
  const short = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\/tmp\/reeve-app-\w+/g, '…')
    .replaceAll('`', '')
    .replaceAll('<', '&lt;')
    .trim()
  const shown = short.length > SAID ? `${short.slice(0, SAID)}…` : short
  const kind = { result: 'result', error: 'error', none: '**did not act**' }[outcome]
  return `${kind}: ${note === undefined ? shown : note}`
}
