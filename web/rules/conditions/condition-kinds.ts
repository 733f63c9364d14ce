import { t } from '../../text/i18n.ts'
import type { ConditionDraft, PlainType, TestKind } from './condition-draft.ts'
import { emptyCondition, emptyWord } from './condition-draft.ts'
import type { CommandArguments, ToolArgument } from './tool-arguments.ts'

const KINDS: Record<ToolArgument['type'], readonly TestKind[]> = {
  text: ['is', 'in', 'under', 'host', 'absent'],
  number: ['is', 'in', 'range', 'absent'],
  boolean: ['is', 'absent'],
  list: ['in', 'under', 'host', 'range', 'absent'],
  other: ['is', 'in', 'under', 'host', 'range', 'absent'],
}

/** What can be asked of an argument, each with its name. `folders`: its tool promises that no link leads out of them. */
export function kindsFor(draft: ConditionDraft, argument: ToolArgument | undefined, folders: boolean) {
  const kinds = KINDS[argument?.type ?? 'other'].filter(
    (kind) =>
      kind === draft.kind || ((kind !== 'under' || folders) && (kind !== 'absent' || argument?.required !== true)),
  )
  const all = kinds.includes(draft.kind) ? kinds : [draft.kind, ...kinds]
  const list = argument === undefined ? draft.each : argument.type === 'list'
  return all.map((value) => {
    const label = t(`condition.kind_${value}`)
    return { value, label: list && value !== 'absent' ? t('condition.kind_each', { kind: label }) : label }
  })
}

/** The condition with another kind; what was typed stays. */
export function withKind(draft: ConditionDraft, kind: TestKind, argument: ToolArgument | undefined): ConditionDraft {
  const each = kind !== 'absent' && (argument === undefined ? draft.each : argument.type === 'list')
  return { ...draft, kind, each }
}

/** A first condition about an argument: what it is by default, where the schema says so. */
export function conditionAbout({ at, type, fallback }: ToolArgument): ConditionDraft {
  const plain: PlainType = type === 'number' || type === 'boolean' ? type : 'text'
  const known = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean'
  const text = known ? `${fallback}` : type === 'boolean' ? 'true' : ''
  const list = type === 'list'
  return emptyCondition(at, { kind: list ? 'in' : 'is', each: list, type: plain, text: list ? '' : text })
}

export function commandCondition({ program, args }: CommandArguments): ConditionDraft {
  return emptyCondition(program, { kind: 'argv', args, words: [emptyWord()] })
}
