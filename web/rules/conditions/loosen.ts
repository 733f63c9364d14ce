import type { ConditionDraft } from './condition-draft.ts'

/** How an exact value can be made wider with one click, and what then stands there. */
export interface Loosening {
  readonly to: 'under' | 'host' | 'range'
  /** The folder, the host, or the end of the range. */
  readonly shown: string
  readonly draft: ConditionDraft
}

/** What a condition about one value can be widened to: its folder, its host, a range up to it. */
export function looseningsOf(draft: ConditionDraft, folders: boolean): readonly Loosening[] {
  const { kind, each, type, text } = draft
  if (kind !== 'is' || each) return []
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) {
    const min = Number(text) < 0 ? text : '0'
    const max = Number(text) < 0 ? '0' : text
    return [{ to: 'range', shown: `${min}–${max}`, draft: { ...draft, kind: 'range', min, max } }]
  }
  if (type !== 'text') return []
  const host = hostOf(text)
  if (host !== null) return [{ to: 'host', shown: host, draft: { ...draft, kind: 'host', text: host } }]
  const folder = folders ? folderOf(text) : null
  return folder === null ? [] : [{ to: 'under', shown: folder, draft: { ...draft, kind: 'under', text: folder } }]
}

function hostOf(text: string): string | null {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url === null || url.host === '' ? null : url.host
}

function folderOf(text: string): string | null {
  if (!/^\/[^/]/.test(text)) return null
  const folder = text.replace(/\/+$/, '').replace(/\/[^/]*$/, '')
  return folder === '' ? null : folder
}
