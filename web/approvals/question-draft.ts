import type { AnswerContent, QuestionField, QuestionSchema } from '../../contract/questions.ts'

/** Values of a question's controls, by field. */
export type QuestionDraft = Readonly<Record<string, string | boolean | readonly string[]>>

/** Kept while the page is open, because a card that is scrolled out of sight is unmounted. */
const drafts = new Map<string, QuestionDraft>()

export function keepDraft(approvalId: string, draft: QuestionDraft): void {
  drafts.set(approvalId, draft)
}

export function forgetDraft(approvalId: string): void {
  drafts.delete(approvalId)
}

/** The values entered so far, or the question's defaults. */
export function questionDraftOf(approvalId: string, schema: QuestionSchema): QuestionDraft {
  return (
    drafts.get(approvalId) ??
    Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, suggested(field)]))
  )
}

function suggested(field: QuestionField): QuestionDraft[string] {
  switch (field.type) {
    case 'boolean':
      return field.default ?? false
    case 'array':
      return field.default ?? []
    case 'string':
      return 'format' in field && field.format === 'date-time' ? toLocal(field.default) : (field.default ?? '')
    default:
      return field.default === undefined ? '' : String(field.default)
  }
}

/**
 * The values as the module expects them, without empty ones. An invalid number becomes NaN, which every check rejects.
 */
export function toContent(schema: QuestionSchema, draft: QuestionDraft): AnswerContent {
  const content: AnswerContent = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = draft[name]
    if (typeof value === 'boolean') content[name] = value
    else if (typeof value !== 'string') {
      if (value !== undefined && (value.length > 0 || schema.required.includes(name))) content[name] = [...value]
    } else if (value !== '') content[name] = toValue(field, value)
  }
  return content
}

function toValue(field: QuestionField, text: string): string | number {
  if (field.type === 'number' || field.type === 'integer') return text.trim() === '' ? NaN : Number(text)
  if (field.type === 'string' && 'format' in field && field.format === 'date-time') {
    const time = new Date(text)
    return Number.isNaN(time.getTime()) ? text : time.toISOString()
  }
  return text
}

/** The format of the browser's native date-and-time control. */
function toLocal(iso: string | undefined): string {
  if (iso === undefined) return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
