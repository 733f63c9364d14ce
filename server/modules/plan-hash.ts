import { createHash } from 'node:crypto'

/**
 * The hash of a plan, of the lines `Inst …`, `Remv …` and `Purg …`: those that `apt-get -s` prints (everything else of its
 * output is passed over), and that reeve-op answers to `plan` on every system.
 */
export function planHash(text: string): string {
  const lines = text.split('\n').filter((line) => /^(Inst|Remv|Purg) /.test(line))
  return createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest('hex')
}
