import { Check, Pencil, Plus, TriangleAlert, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { t } from '../../text/i18n.ts'
import { ArgumentsForm } from '../../arguments/arguments-form.tsx'
import type { Arguments, Examples } from './spec-draft.ts'
import { nameOf } from './tool-arguments.ts'
import type { Tried } from './use-tried-rule.ts'

type Kind = 'match' | 'no_match'

interface ExamplesFieldProps {
  readonly tool: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly examples: Examples
  /** How the server says that they come out; of the same examples, or null. */
  readonly tried: Tried['examples']
  readonly error: string | null
  onChange(examples: Examples): void
}

/** Calls that the rule must apply to, and others that it must not: the server evaluates them when the rule is saved. */
export function ExamplesField({ tool, schema, examples, tried, error, onChange }: ExamplesFieldProps) {
  const [editing, setEditing] = useState<string | null>(null)
  const list = (kind: Kind) => {
    const label = t(`rule_form.examples_${kind}`)
    const set = (at: number, args: Arguments | null): void =>
      onChange({ ...examples, [kind]: examples[kind].flatMap((one, i) => (i === at ? (args ?? []) : one)) })
    return (
      <div key={kind} className="min-w-0">
        <h4 className="mb-1.5 text-sm font-medium">{label}</h4>
        <Panel>
          <ul aria-label={label} className="divide-line divide-y">
            {examples[kind].map((args, at) => {
              const result = tried?.[kind][at]
              const wrong = result !== undefined && result.applies !== (kind === 'match')
              const failed = wrong ? result.conditions.find(({ outcome }) => outcome !== 'true') : undefined
              const open = editing === `${kind} ${at}`
              const name = t('rule_form.example', { number: at + 1 })
              return (
                <li key={at} className="space-y-2 px-3 py-2">
                  <div className="flex items-start gap-2">
                    {wrong ? (
                      <TriangleAlert
                        aria-label={t('rule_form.example_fails')}
                        className="text-danger mt-1 size-4 shrink-0"
                      />
                    ) : (
                      <Check
                        aria-hidden
                        className={result === undefined ? 'invisible size-4' : 'text-ok mt-1 size-4 shrink-0'}
                      />
                    )}
                    <code className="line-clamp-3 min-w-0 flex-1 pt-1 text-xs break-all">{JSON.stringify(args)}</code>
                    <IconButton
                      label={t('rule_form.example_edit', { name })}
                      icon={Pencil}
                      size="sm"
                      aria-expanded={open}
                      onClick={() => setEditing(open ? null : `${kind} ${at}`)}
                    />
                    <IconButton
                      label={t('condition.remove', { name })}
                      icon={X}
                      size="sm"
                      onClick={() => {
                        setEditing(null)
                        set(at, null)
                      }}
                    />
                  </div>
                  {wrong && (
                    <p className="text-danger text-sm break-words">
                      {t(kind === 'match' ? 'rule_form.example_no_match' : 'rule_form.example_match')}{' '}
                      {failed !== undefined && (
                        <>
                          {failed.at !== '' && <code className="text-xs">{nameOf(failed.at)}</code>} {failed.why}
                        </>
                      )}
                    </p>
                  )}
                  {open && (
                    <ArgumentsForm
                      tool={tool}
                      schema={schema}
                      label={name}
                      value={args}
                      onChange={(next) => next !== null && set(at, next)}
                    />
                  )}
                </li>
              )
            })}
            <li className="px-2 py-1.5">
              <Button
                size="sm"
                variant="ghost"
                icon={Plus}
                onClick={() => {
                  onChange({ ...examples, [kind]: [...examples[kind], {}] })
                  setEditing(`${kind} ${examples[kind].length}`)
                }}
              >
                {t('rule_form.example_add')}
              </Button>
            </li>
          </ul>
        </Panel>
      </div>
    )
  }
  return (
    <div className="space-y-2">
      <div className="grid items-start gap-3 md:grid-cols-2">{(['match', 'no_match'] as const).map(list)}</div>
      <div role="alert">{error !== null && <p className="text-danger text-sm">{error}</p>}</div>
    </div>
  )
}
