import type { LucideIcon } from 'lucide-react'
import type { ToolArguments } from './look-query.ts'

/** A typed operation that a page offers: what is still open is asked for first, then it is a call like any other. */
export interface Operation {
  /** A verb: `Restart`. */
  readonly label: string
  /** With what it is about, as the heading of its dialog and of what comes of it: `Restart nginx.service`. */
  readonly title: string
  readonly icon: LucideIcon
  /** Of the module system. */
  readonly tool: string
  readonly args: ToolArguments
  readonly danger?: boolean
  /** What a person still has to say. */
  readonly fields?: readonly OperationField[]
}

export interface OperationField {
  /** The argument's name. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly initial?: string
  /** `list`: words separated by commas or spaces. */
  readonly kind: 'text' | 'number' | 'list' | 'check' | 'lines'
  readonly optional?: boolean
  readonly placeholder?: string
}

export type FieldValues = Readonly<Record<string, string>>

/** The arguments with what was typed; a check box that is off, and an optional field that is empty, say nothing. */
export function filledArguments({ args, fields = [] }: Operation, values: FieldValues): ToolArguments {
  const typed = fields.flatMap(({ name, kind }): [string, unknown][] => {
    const text = (values[name] ?? '').trim()
    if (text === '') return []
    if (kind === 'number') return [[name, Number(text)]]
    if (kind === 'check') return [[name, true]]
    if (kind === 'list') return [[name, text.split(/[\s,]+/).filter(Boolean)]]
    return [[name, text]]
  })
  return { ...args, ...Object.fromEntries(typed) }
}

/** Whether all that has to be said is. */
export function isComplete({ fields = [] }: Operation, values: FieldValues): boolean {
  return fields.every(({ name, kind, optional = false }) => {
    const text = (values[name] ?? '').trim()
    if (text === '') return optional || kind === 'check'
    return kind !== 'number' || /^[1-9]\d{0,6}$/.test(text)
  })
}
