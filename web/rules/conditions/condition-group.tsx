import { Plus } from 'lucide-react'
import { Button } from '../../parts/controls/button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { t } from '../../text/i18n.ts'
import { type ConditionDraft, toCondition } from './condition-draft.ts'
import { ConditionFields } from './condition-fields.tsx'
import { commandCondition, conditionAbout } from './condition-kinds.ts'
import { leftOut } from './left-out.ts'
import { commandOf, nameOf, type ToolArgument } from './tool-arguments.ts'

export interface ConditionGroupProps {
  readonly label: string
  readonly drafts: readonly ConditionDraft[]
  readonly known: readonly ToolArgument[]
  readonly folders: boolean
  /** What is wrong, by position. */
  readonly errors: ReadonlyMap<number, string>
  /** Unfinished conditions are wrong. */
  readonly checked: boolean
  onChange(drafts: readonly ConditionDraft[]): void
  /** Lets an argument be anything instead. */
  readonly onFree: ((at: string) => void) | null
}

/** Conditions that all must hold, and buttons for one about each further argument. */
export function ConditionGroup(props: ConditionGroupProps) {
  const { label, drafts, known, folders, errors, checked, onChange, onFree } = props
  const command = commandOf(known)
  const others = leftOut(known, drafts)
  const commandLeft = command !== null && others.some(({ at }) => at === command.program)
  return (
    <div className="space-y-2">
      {drafts.length > 0 && (
        <Panel>
          <ul aria-label={label} className="divide-line divide-y">
            {drafts.map((draft, at) => (
              <li key={draft.key}>
                <ConditionFields
                  draft={draft}
                  argument={known.find((one) => one.at === draft.at)}
                  folders={folders}
                  error={errors.get(at) ?? (checked && toCondition(draft) === null ? t('condition.unfinished') : null)}
                  onChange={(next) => onChange(drafts.map((one) => (one.key === draft.key ? next : one)))}
                  onRemove={() => onChange(drafts.filter(({ key }) => key !== draft.key))}
                  onFree={
                    onFree === null
                      ? null
                      : () => {
                          onChange(drafts.filter(({ key }) => key !== draft.key))
                          onFree(draft.at)
                        }
                  }
                />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {others.length > 0 && (
        <div role="group" aria-label={t('condition.add')} className="flex flex-wrap items-center gap-1.5">
          <span aria-hidden className="text-muted text-sm">
            {t('condition.add')}
          </span>
          {commandLeft && (
            <Button size="sm" icon={Plus} onClick={() => onChange([...drafts, commandCondition(command)])}>
              {t('condition.command')}
            </Button>
          )}
          {others.map((argument) => (
            <Button
              key={argument.at}
              size="sm"
              icon={Plus}
              onClick={() => onChange([...drafts, conditionAbout(argument)])}
              className="font-mono"
            >
              {nameOf(argument.at)}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
