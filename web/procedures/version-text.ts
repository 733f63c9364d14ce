import type { ProcedureVersion } from '../../contract/procedure-values.ts'
import { visible } from '../../contract/visible-text.ts'

/** All of a version that is reviewed, as lines that can be compared: with the definitions of its tools, and nothing hidden. */
export function versionText({ name, description, params, steps }: ProcedureVersion): string {
  const lines = [name, ...(description === '' ? [] : description.split('\n')), '']
  for (const { name: param, title, test, preset } of params)
    lines.push(
      `${param} (${title}): ${JSON.stringify(test)}${preset === undefined ? '' : ` = ${JSON.stringify(preset)}`}`,
    )
  for (const [at, step] of steps.entries()) {
    const { module, tool, note, arguments: given, confirm, definition_hash } = step
    lines.push('', `${at + 1}. ${module}.${tool}${confirm ? ' (!)' : ''}`)
    if (note !== '') lines.push(note)
    lines.push(...JSON.stringify(given, null, 2).split('\n'), `# ${definition_hash.slice(0, 16)}`)
  }
  return visible(lines.join('\n'))
}
