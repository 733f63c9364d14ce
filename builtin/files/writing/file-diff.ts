import type { ToolPreview } from '../../../server/chat/ports/tools.ts'
import { textOf, unifiedDiff } from '../../../server/kernel/text/unified-diff.ts'

/** Characters of a diff; of a longer one only the sizes are shown. */
const LENGTH = 900_000

/** What becomes of a file as one part of a preview: its diff, or its sizes where there is none. Null: there is no file. */
export function fileDiff(name: string, before: Buffer | null, after: Buffer | null): ToolPreview['parts'][number] {
  const [old, now] = [before, after].map((data) => (data === null ? '' : textOf(data)))
  const diff = old == null || now == null ? null : unifiedDiff(old, now)
  if (diff !== null && diff !== '' && diff.length <= LENGTH) return { kind: 'diff', title: name, text: diff }
  const size = (data: Buffer | null) => (data === null ? 'no file' : `${data.byteLength} bytes`)
  const same = before !== null && after !== null && before.equals(after)
  const text = same
    ? `Nothing changes: ${size(before)}`
    : `${size(before)} → ${size(after)}${diff === null ? ', not text' : ''}`
  return { kind: 'list', title: name, text }
}
