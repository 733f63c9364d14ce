import { EVERY_HOST } from '../../../contract/host-values.ts'
import type { JudgedHost } from '../../chat/ports/hosts.ts'

/**
 * What a rule, a token's scope or a question is about. Permissions, tools and machines are different kinds: whatever a
 * module calls itself or its tools, none can be mistaken for another.
 */
export type PolicySubject =
  | { readonly kind: 'permission'; readonly permission: string }
  /** `tool: null` is every tool of the module; `on`: the name of a machine or `#tag`, in small letters. */
  | { readonly kind: 'tool'; readonly module: string; readonly tool: string | null; readonly on?: string }
  | { readonly kind: 'host'; readonly on: string }
  | { readonly kind: 'procedure'; readonly procedure_id: string }

const TOOL = 'tool:'
const HOST = 'host:'
const PROCEDURE = 'procedure:'

/**
 * A subject as written and stored: `files.read`, `tool:<module>.<tool>`, `tool:<module>.*`, either with `@<name>` or
 * `@#<tag>` behind it, `host:<name>`, `host:#<tag>`, `procedure:<id>`. Module names contain no dot, names of tools no `@`. Names of machines
 * that differ in case only are the same.
 */
export function readSubject(text: string): PolicySubject {
  if (text.startsWith(HOST)) return { kind: 'host', on: text.slice(HOST.length).toLowerCase() }
  if (text.startsWith(PROCEDURE)) return { kind: 'procedure', procedure_id: text.slice(PROCEDURE.length) }
  if (!text.startsWith(TOOL)) return { kind: 'permission', permission: text }
  const dot = text.indexOf('.')
  const [tool = '', on] = text.slice(dot + 1).split('@')
  return {
    kind: 'tool',
    module: text.slice(TOOL.length, dot),
    tool: tool === '*' ? null : tool,
    ...(on !== undefined && { on: on.toLowerCase() }),
  }
}

export function writeSubject(subject: PolicySubject): string {
  if (subject.kind === 'permission') return subject.permission
  if (subject.kind === 'host') return HOST + subject.on
  if (subject.kind === 'procedure') return PROCEDURE + subject.procedure_id
  const { module, tool, on } = subject
  return `${TOOL}${module}.${tool ?? '*'}${on === undefined ? '' : `@${on}`}`
}

/** How rules may call a machine: by name, and by each of its tags. */
export function namesOf({ name, tags }: JudgedHost): string[] {
  return [name.toLowerCase(), ...tags.map((tag) => `#${tag}`), `#${EVERY_HOST}`]
}

/**
 * Whether a statement about `pattern` applies to `subject`: they are the same, or it means every tool of the module.
 */
export function covers(pattern: PolicySubject, subject: PolicySubject): boolean {
  if (pattern.kind === 'permission') return subject.kind === 'permission' && pattern.permission === subject.permission
  if (pattern.kind === 'procedure') return subject.kind === 'procedure' && pattern.procedure_id === subject.procedure_id
  return (
    pattern.kind === 'tool' &&
    subject.kind === 'tool' &&
    pattern.module === subject.module &&
    (pattern.tool === null || pattern.tool === subject.tool)
  )
}
