/**
 * What a rule, a token's scope or a question is about. Permissions and tools are different kinds: whatever a module
 * calls itself or its tools, neither can be mistaken for a permission.
 */
export type PolicySubject =
  | { readonly kind: 'permission'; readonly permission: string }
  /** `tool: null` is every tool of the module. */
  | { readonly kind: 'tool'; readonly module: string; readonly tool: string | null }

const TOOL = 'tool:'

/**
 * A subject as written and stored: `files.read`, `tool:<module>.<tool>`, `tool:<module>.*`. Module names contain no
 * dot.
 */
export function readSubject(text: string): PolicySubject {
  if (!text.startsWith(TOOL)) return { kind: 'permission', permission: text }
  const dot = text.indexOf('.')
  const tool = text.slice(dot + 1)
  return { kind: 'tool', module: text.slice(TOOL.length, dot), tool: tool === '*' ? null : tool }
}

export function writeSubject(subject: PolicySubject): string {
  return subject.kind === 'permission' ? subject.permission : `${TOOL}${subject.module}.${subject.tool ?? '*'}`
}

/**
 * Whether a statement about `pattern` applies to `subject`: they are the same, or it means every tool of the module.
 */
export function covers(pattern: PolicySubject, subject: PolicySubject): boolean {
  if (pattern.kind === 'permission') return subject.kind === 'permission' && pattern.permission === subject.permission
  return (
    subject.kind === 'tool' &&
    pattern.module === subject.module &&
    (pattern.tool === null || pattern.tool === subject.tool)
  )
}
