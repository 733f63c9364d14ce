import { useQuery } from '@tanstack/react-query'
import { TOKEN_SUBJECTS } from '../../../contract/route.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { sessionQuery, toolsQuery } from '../../client/queries.ts'

interface TokenScopeProps {
  /** Null: everything the user may do. */
  readonly scope: readonly string[] | null
  onChange(scope: readonly string[] | null): void
}

/**
 * What a token may do: everything the user may do with a token, or only what is ticked. Only the user's own permissions
 * are offered.
 */
export function TokenScope({ scope, onChange }: TokenScopeProps) {
  const choices = [...[...usePermissions(), ...TOKEN_SUBJECTS].map(toChoice), ...useModuleChoices()]
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{t('account.token_scope')}</legend>
      <Choice checked={scope === null} label={t('account.token_wide')} onChoose={() => onChange(null)} />
      <Choice checked={scope !== null} label={t('account.token_narrow')} onChoose={() => onChange(scope ?? [])} />
      {scope !== null && (
        <div className="border-line ml-2 space-y-2 border-l-2 pl-4">
          <Checks choices={choices} scope={scope} onChange={onChange} />
        </div>
      )}
    </fieldset>
  )
}

/** Which modules' tools a token for an MCP client may use, and whether these reach stored files: it names them. */
export function ToolScope({
  scope,
  onChange,
  only = [],
}: {
  readonly scope: readonly string[]
  onChange(scope: readonly string[]): void
  /** Offered instead of all there is; empty: all. */
  readonly only?: readonly string[]
}) {
  const files = usePermissions().filter((permission) => permission.startsWith('files.'))
  const all = [...useModuleChoices(), ...files.map(toChoice)]
  const choices =
    only.length === 0 ? all : only.map((subject) => all.find((one) => one.subject === subject) ?? toChoice(subject))
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{t('account.token_scope')}</legend>
      <Checks choices={choices} scope={scope} onChange={onChange} />
    </fieldset>
  )
}

interface ScopeChoice {
  readonly subject: string
  readonly label: string
}

function toChoice(subject: string): ScopeChoice {
  return { subject, label: tIfKnown(`account.scope_${subject.replace('.', '_')}`) ?? subject }
}

/** The permissions that the user has. */
function usePermissions(): readonly string[] {
  const permissions = useQuery(sessionQuery).data?.user.permissions ?? {}
  return Object.keys(permissions).filter((permission) => permissions[permission] !== 'deny')
}

function useModuleChoices(): readonly ScopeChoice[] {
  const tools = useQuery(toolsQuery).data?.items ?? []
  const modules = [...new Set(tools.map(({ module }) => module))].toSorted()
  return modules.map((module) => ({ subject: `tool:${module}.*`, label: t('account.scope_tools', { module }) }))
}

interface ChecksProps {
  readonly choices: readonly ScopeChoice[]
  readonly scope: readonly string[]
  onChange(scope: readonly string[]): void
}

function Checks({ choices, scope, onChange }: ChecksProps) {
  return choices.map(({ subject, label }) => (
    <CheckField
      key={subject}
      label={label}
      checked={scope.includes(subject)}
      onChange={(on) => onChange(on ? [...scope, subject] : scope.filter((each) => each !== subject))}
    />
  ))
}

function Choice({ checked, label, onChoose }: { readonly checked: boolean; readonly label: string; onChoose(): void }) {
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="radio"
        name="token-scope"
        checked={checked}
        onChange={onChoose}
        className="mt-1 size-4 accent-(--accent)"
      />
      <span>{label}</span>
    </label>
  )
}
