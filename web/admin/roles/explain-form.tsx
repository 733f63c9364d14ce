import { useQuery } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import type { Arguments } from '../../rules/conditions/spec-draft.ts'
import { useToolSchema } from '../../modules/tools/use-tool-schema.ts'
import { SuggestField } from '../../parts/controls/suggest-field.tsx'
import { useToolNames } from './use-tool-names.ts'
import { useUserNames } from './use-user-names.ts'
import { useValuesSchema } from './use-values-schema.ts'

const ArgumentsForm = lazy(async () => ({
  default: (await import('../../arguments/arguments-form.tsx')).ArgumentsForm,
}))

export interface ExplainQuestion {
  readonly who: { readonly user_id: string } | { readonly role: string }
  /** Name of the user or role that the question is about. */
  readonly name: string
  readonly tool: string
  readonly args: Arguments | null
}

/** What is known of the question before it is asked. */
export interface ExplainSubject {
  readonly username?: string
  /** Id of a role. */
  readonly role?: string
  readonly tool?: string
}

interface ExplainFormProps {
  readonly subject: ExplainSubject
  readonly busy: boolean
  onAsk(question: ExplainQuestion): void
}

/** The user or role and the subject of a question. One about a cell of the rules is asked at once. */
export function ExplainForm({ subject, busy, onAsk }: ExplainFormProps) {
  const [kind, setKind] = useState<'person' | 'role'>(subject.role === undefined ? 'person' : 'role')
  const [person, setPerson] = useState(subject.username ?? '')
  const [chosenRole, setRole] = useState<string | null>(subject.role ?? null)
  const [tool, setTool] = useState(subject.tool ?? '')
  // Undefined while something is wrong.
  const [args, setArgs] = useState<Arguments | null | undefined>(null)
  const [checked, setChecked] = useState(false)
  const roles = useQuery(rolesOfUsersQuery).data ?? []
  const people = useUserNames(kind === 'person' ? person : '')
  const tools = useToolNames()
  const role = roles.find(({ role_id }) => role_id === chosenRole) ?? roles[0]
  const found = people.find(({ username }) => username.toLowerCase() === person.trim().toLowerCase())
  const ofTool = useToolSchema(tool)
  const ofProcedure = useValuesSchema(tool)
  const schema = ofTool ?? ofProcedure
  const who = kind === 'role' ? (role ? { role: role.role_id } : null) : found ? { user_id: found.user_id } : null
  const ask = (): void => {
    setChecked(true)
    if (who === null || tool.trim() === '' || args === undefined || busy) return
    onAsk({ who, name: (kind === 'role' ? role?.name : found?.username) ?? '', tool: tool.trim(), args })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    ask()
  }
  const asked = useRef(subject.role === undefined || subject.tool === undefined)
  useEffect(() => {
    if (asked.current || role === undefined) return
    asked.current = true
    ask()
  })
  return (
    <form onSubmit={submit} noValidate className="grid items-start gap-3 sm:grid-cols-[8rem_1fr_1fr]">
      <SelectField
        label={t('explain.about')}
        value={kind}
        onChange={(next) => setKind(next as 'person' | 'role')}
        options={[
          { value: 'role', label: t('explain.a_role') },
          { value: 'person', label: t('explain.a_person') },
        ]}
      />
      {kind === 'role' ? (
        <SelectField
          label={t('users.role')}
          value={role?.role_id ?? ''}
          onChange={setRole}
          options={roles.map(({ role_id, name }) => ({ value: role_id, label: name }))}
        />
      ) : (
        <SuggestField
          label={t('login.username')}
          autoFocus={subject.username === undefined}
          value={person}
          onChange={setPerson}
          options={people.map(({ username, display_name: label }) => ({ value: username, label }))}
          error={checked && who === null ? t('explain.no_person') : null}
        />
      )}
      <SuggestField
        label={t('explain.what')}
        autoFocus={subject.username !== undefined || subject.role !== undefined}
        hint={t('explain.what_hint')}
        value={tool}
        onChange={(next) => {
          setTool(next)
          setArgs(null)
        }}
        options={tools}
        error={checked && tool.trim() === '' ? t('explain.no_tool') : null}
      />
      <details className="sm:col-span-3">
        <summary className="text-muted hover:text-ink w-fit text-sm">{t('explain.with_arguments')}</summary>
        <div className="mt-2">
          <Suspense fallback={<SkeletonRows rows={2} className="h-9" />}>
            <ArgumentsForm
              // Another tool has other arguments.
              key={`${tool} ${schema === null}`}
              tool={tool.trim()}
              schema={schema ?? {}}
              label={t('chat.tool_arguments')}
              value={{}}
              onChange={(next) => setArgs(next === null ? undefined : next)}
            />
          </Suspense>
        </div>
      </details>
      <div className="sm:col-span-3">
        <Button type="submit" icon={CircleHelp} busy={busy}>
          {t('explain.ask')}
        </Button>
      </div>
    </form>
  )
}
