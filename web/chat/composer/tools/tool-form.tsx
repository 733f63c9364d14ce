import { Type } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { ToolEntry } from '../../../../contract/chat.ts'
import { t } from '../../../text/i18n.ts'
import { Button } from '../../../parts/controls/button.tsx'
import { EffectBadge } from '../../../parts/feedback/effect-badge.tsx'
import { toolName } from '../tool-command.ts'
import { argumentFields } from '../../../arguments/argument-fields.ts'
import { ArgumentInput } from '../../../arguments/argument-input.tsx'
import { argumentProblem } from '../../../arguments/argument-problem.ts'
import type { FieldValues } from '../../../arguments/argument-values.ts'
import { readCommand, withoutEmptyLines, writeCommand } from './command-values.ts'
import { rememberValues } from '../../../arguments/recent-values.ts'

/** What the message box asks of an open form. */
export interface ToolFormHandle {
  /** False when something is missing or wrong; then the fields say so, and the first one has the focus. */
  check(): boolean
}

interface ToolFormProps {
  readonly tool: ToolEntry
  /** The command as typed text: the form is another view of it. */
  readonly text: string
  readonly disabled: boolean
  readonly handle: RefObject<ToolFormHandle | null>
  onText(text: string): void
  onSubmit(now: boolean): void
  /** Shows the command as text again. */
  onAsText(): void
}

/** The arguments of a tool as a form, made from its JSON schema. */
export function ToolForm({ tool, text, disabled, handle, onText, onSubmit, onAsText }: ToolFormProps) {
  const fields = useMemo(() => argumentFields(tool.input_schema), [tool])
  const values: FieldValues | null = useMemo(() => readCommand(text, fields), [text, fields])
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set())
  const form = useRef<HTMLDivElement>(null)
  const problems = new Map(fields.map((field) => [field.name, argumentProblem(field, values?.[field.name] ?? '')]))
  useEffect(() => form.current?.querySelector<HTMLElement>('[data-argument]')?.focus(), [])
  useImperativeHandle(handle, () => ({
    check: () => {
      if (values === null) return true
      setChecked(new Set(fields.map(({ name }) => name)))
      const wrong = fields.find(({ name }) => problems.get(name) !== null)
      if (wrong === undefined) {
        const sent = withoutEmptyLines(fields, values)
        rememberValues(toolName(tool), fields, sent)
        onText(writeCommand(toolName(tool), fields, sent))
      } else form.current?.querySelector<HTMLElement>(`[data-argument="${CSS.escape(wrong.name)}"]`)?.focus()
      return wrong === undefined
    },
  }))
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault()
      onAsText()
      return
    }
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.keyCode === 229) return
    const mod = event.ctrlKey || event.metaKey
    const lines = event.target instanceof HTMLTextAreaElement
    if (!(event.target instanceof HTMLInputElement) && !(lines && mod)) return
    event.preventDefault()
    onSubmit(mod && !lines)
  }
  return (
    <div
      ref={form}
      role="group"
      aria-label={t('tool_form.label', { title: tool.title })}
      onKeyDown={onKeyDown}
      className="max-h-[50dvh] overflow-y-auto overscroll-contain border-b border-line px-3.5 py-3"
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1">
        <p className="font-medium">{tool.title}</p>
        <EffectBadge effect={tool.effect} />
        {tool.policy === 'ask' && <span className="text-xs text-muted">{t('chat.tool_asks')}</span>}
        <Button size="sm" variant="ghost" icon={Type} onClick={onAsText} className="ms-auto">
          {t('tool_form.as_text')}
        </Button>
      </div>
      {values === null ? (
        <p className="text-muted">{t('tool_form.unreadable')}</p>
      ) : (
        <div className="grid gap-3 sm:grid-cols-2">
          {fields.map((field) => (
            <ArgumentInput
              key={field.name}
              tool={toolName(tool)}
              field={field}
              value={values[field.name] ?? ''}
              error={checked.has(field.name) ? (problems.get(field.name) ?? null) : null}
              disabled={disabled}
              onChange={(value) => onText(writeCommand(toolName(tool), fields, { ...values, [field.name]: value }))}
              onLeave={() => setChecked((before) => new Set([...before, field.name]))}
            />
          ))}
        </div>
      )}
    </div>
  )
}
