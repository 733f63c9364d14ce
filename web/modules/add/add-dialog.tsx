import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Globe, Upload } from 'lucide-react'
import { useState } from 'react'
import type { Arguments } from '../../client/api-types.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { additionsQuery, keepBegun } from './additions-query.ts'
import { ProgramFields } from './program-fields.tsx'
import type { Program } from './runners.ts'
import { understoodWay, wayText } from './registry-way.ts'
import { ServerSearch } from './server-search.tsx'
import { hasBlanks, remote, type RemoteServer, understand, type Understood } from './understand.ts'

type Source = NonNullable<Arguments<'POST /api/module-additions'>[0]>['body']['source']

interface AddDialogProps {
  /** The server is reached by its address, which has a form of its own. */
  onRemote(server: RemoteServer): void
  /** Opens the system's dialog for files. */
  onFile(): void
  onClose(): void
}

/** One field for everything a module can come from. It shows what it understood before anything is done. */
export function AddDialog({ onRemote, onFile, onClose }: AddDialogProps) {
  const known = useQuery(additionsQuery).data
  const registries = { npm: known?.registry ?? null, pypi: known?.python_index ?? null }
  const search = known?.search
  const [text, setText] = useState('')
  const [words, setWords] = useState('')
  /** Chosen among what a registry listed; the text only names it. */
  const [listed, setListed] = useState<Understood | null>(null)
  const [chosen, setChosen] = useState('')
  const [args, setArgs] = useState<string | null>(null)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const queryClient = useQueryClient()
  const servers = listed === null ? understand(text) : [{ name: '', server: listed }]
  const server = (servers.find(({ name }) => name === chosen) ?? servers[0])?.server ?? null
  const program = server?.kind === 'npm' || server?.kind === 'pypi' ? server : null
  const add = useMutation({
    mutationFn: (source: Source) => call('POST /api/module-additions', { body: { source } }),
    onSuccess: ({ addition }) => {
      keepBegun(queryClient, addition)
      onClose()
    },
  })
  const lines = args ?? (program === null ? '' : program.args.join('\n'))
  const impossible =
    server === null ||
    server.kind === 'other' ||
    (program !== null &&
      (registries[program.kind] === null ||
        hasBlanks(lines) ||
        program.variables.some(({ name, value, sensitive }) => !sensitive && hasBlanks(values[name] ?? value))))
  const onSubmit = (): void => {
    if (impossible || add.isPending) return
    if (server.kind === 'remote') return onRemote(server)
    const source = sourceOf(server, lines, values)
    if (source !== null) add.mutate(source)
  }
  const forget = (): void => {
    setArgs(null)
    setValues({})
    add.reset()
  }
  return (
    <FormDialog
      title={t('modules.add')}
      description={t('modules.add_text')}
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t(server?.kind === 'remote' ? 'modules.remote_add' : 'modules.add_submit')}
      busy={add.isPending}
      disabled={impossible}
    >
      {add.isError && <ErrorNotice title={t('modules.add_failed')} error={add.error} />}
      <TextArea
        label={t('modules.add_from')}
        value={text}
        onChange={(next) => {
          setText(next)
          setListed(null)
          forget()
        }}
        rows={text.includes('\n') ? 8 : 2}
        placeholder="@scope/name"
        error={text.trim() !== '' && servers.length === 0 ? t('modules.add_unknown') : null}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        className="[&_textarea]:font-mono"
      />
      {servers.length > 1 && (
        <SelectField
          label={t('modules.add_server')}
          value={chosen === '' ? servers[0]!.name : chosen}
          onChange={(name) => {
            setChosen(name)
            forget()
          }}
          options={servers.map(({ name }) => ({ value: name, label: name }))}
        />
      )}
      <div aria-live="polite">
        {server !== null && known !== undefined && <UnderstoodNotice server={server} registries={registries} />}
      </div>
      {program !== null && registries[program.kind] !== null && (
        <ProgramFields
          lines={lines}
          onLines={setArgs}
          variables={program.variables}
          values={values}
          onValues={setValues}
        />
      )}
      {text.trim() === '' && (
        <>
          <div className="flex flex-wrap gap-2">
            <Button size="sm" icon={Upload} onClick={onFile}>
              {t('modules.install')}
            </Button>
            <Button size="sm" icon={Globe} onClick={() => onRemote(remote('', '', {}))}>
              {t('modules.remote_add')}
            </Button>
          </div>
          {search === null && <p className="text-muted text-sm">{t('modules.registry_off')}</p>}
          {search != null && (
            <ServerSearch
              registry={search}
              words={words}
              onWords={setWords}
              onChoose={(one, way) => {
                setText(wayText(way))
                setListed(understoodWay(one, way))
                forget()
              }}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

interface UnderstoodNoticeProps {
  readonly server: Understood
  /** Hosts of the registries of packages; null: none is asked. */
  readonly registries: Readonly<Record<Program['kind'], string | null>>
}

function UnderstoodNotice({ server, registries }: UnderstoodNoticeProps) {
  switch (server.kind) {
    case 'npm':
    case 'pypi': {
      const registry = registries[server.kind]
      if (registry === null) return <Notice tone="warn">{t(`modules.add_no_${server.kind}`)}</Notice>
      const name = server.range === null ? server.name : `${server.name} ${server.range}`
      return <Notice tone="info">{t(`modules.add_${server.kind}`, { name, registry })}</Notice>
    }
    case 'address':
      return <Notice tone="info">{t('modules.add_address', { host: new URL(server.url).host })}</Notice>
    case 'remote':
      return <Notice tone="info">{t('modules.add_remote', { host: new URL(server.url).host })}</Notice>
    case 'other': {
      const name = server.name === '' ? server.command : server.name
      return <Notice tone="warn">{t('modules.add_other', { name, command: server.command })}</Notice>
    }
  }
}

function sourceOf(
  server: Exclude<Understood, { kind: 'remote' | 'other' }>,
  lines: string,
  values: Readonly<Record<string, string>>,
): Source {
  if (server.kind === 'address') return server
  return {
    kind: server.kind,
    name: server.name,
    ...(server.range !== null && { range: server.range }),
    ...(server.program !== null && { program: server.program }),
    args: lines.split('\n').filter((line) => line !== ''),
    variables: server.variables.map(({ name, value, sensitive }) => ({
      name,
      sensitive,
      value: values[name] ?? value,
    })),
  }
}
