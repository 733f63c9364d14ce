import { Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import type { SettingField } from '../../../contract/modules.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import type { GrantsForm } from './grants-form.ts'
import { namedFolders } from './named-folders.ts'
import { hostOf, mayNameHost, withLine } from './setting-hosts.ts'

const NETWORKS: readonly GrantsForm['network'][] = ['none', 'hosts', 'any']

/** What a module may access besides its own folders: network, folders on this machine, programs. */
export function GrantsEditor({
  form,
  fields,
  args,
  onChange,
}: {
  readonly form: GrantsForm
  /** The module's settings: a host can be granted as the one that a setting names. */
  readonly fields: readonly SettingField[]
  /** What it is started with: a folder that an argument names is offered. */
  readonly args: readonly string[]
  onChange(form: GrantsForm): void
}) {
  const name = useId()
  const { network, folders } = form
  const change = (patch: Partial<GrantsForm>): void => onChange({ ...form, ...patch })
  const offered = fields.filter((field) => mayNameHost(field) && !form.hosts.includes(hostOf(field.key)))
  const changeFolder = (index: number, patch: Partial<GrantsForm['folders'][number]>): void =>
    change({ folders: folders.map((folder, at) => (at === index ? { ...folder, ...patch } : folder)) })
  const addFolder = (path: string): void => change({ folders: [...folders, { path, write: false }] })
  return (
    <div className="space-y-4">
      <fieldset>
        <legend className="mb-1.5 font-medium">{t('modules.network')}</legend>
        <div className="grid gap-2 sm:grid-cols-3">
          {NETWORKS.map((one) => (
            <label
              key={one}
              className={classNames(
                'flex cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-focus',
                one === network ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong',
              )}
            >
              <input
                type="radio"
                name={name}
                checked={one === network}
                onChange={() => change({ network: one })}
                className="mt-1 shrink-0 accent-(--accent) outline-none"
              />
              <span>
                <span className="block font-medium">{t(`modules.network_${one}`)}</span>
                <span className="text-muted block text-sm">{t(`modules.network_text_${one}`)}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {network === 'hosts' && (
        <TextArea
          label={t('modules.hosts')}
          hint={t('modules.hosts_hint')}
          value={form.hosts}
          onChange={(hosts) => change({ hosts })}
          rows={3}
          spellCheck={false}
          className="[&_textarea]:font-mono"
        />
      )}
      {network === 'hosts' && offered.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {offered.map(({ key, title }) => (
            <Button
              key={key}
              size="sm"
              icon={Plus}
              onClick={() => change({ hosts: withLine(form.hosts, hostOf(key)) })}
            >
              {t('modules.host_of_add', { title: title || key })}
            </Button>
          ))}
        </div>
      )}
      <fieldset className="space-y-2">
        <legend className="mb-1.5 font-medium">{t('modules.folders')}</legend>
        {folders.length === 0 && <p className="text-muted text-sm">{t('modules.folders_none')}</p>}
        {folders.map(({ path, write }, index) => (
          <div key={index} className="flex items-center gap-2">
            <TextField
              label={t('modules.folder_path', { number: index + 1 })}
              hideLabel
              value={path}
              onChange={(next) => changeFolder(index, { path: next })}
              placeholder="/srv/reports"
              maxLength={1000}
              spellCheck={false}
              autoComplete="off"
              className="min-w-0 flex-1 [&_input]:font-mono"
            />
            <SelectField
              label={t('modules.folder_access', { number: index + 1 })}
              value={write ? 'write' : 'read'}
              onChange={(access) => changeFolder(index, { write: access === 'write' })}
              options={[
                { value: 'read', label: t('modules.folder_read') },
                { value: 'write', label: t('modules.folder_write') },
              ]}
              className="w-32 shrink-0 [&>label]:sr-only max-sm:w-26"
            />
            <IconButton
              label={t('modules.folder_remove', { number: index + 1 })}
              icon={Trash2}
              onClick={() => change({ folders: folders.filter((_, at) => at !== index) })}
            />
          </div>
        ))}
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={Plus} onClick={() => addFolder('')}>
            {t('modules.folder_add')}
          </Button>
          {namedFolders(args, folders).map((path) => (
            <Button key={path} size="sm" icon={Plus} onClick={() => addFolder(path)} className="max-w-full">
              <span className="truncate">{t('modules.folder_named_add', { path })}</span>
            </Button>
          ))}
        </div>
      </fieldset>
      <TextArea
        label={t('modules.commands')}
        hint={t('modules.commands_hint')}
        value={form.commands}
        onChange={(commands) => change({ commands })}
        rows={2}
        spellCheck={false}
        className="[&_textarea]:font-mono"
      />
      <CheckField
        label={t('modules.helpers')}
        hint={t('modules.helpers_text')}
        checked={form.helpers}
        onChange={(helpers) => change({ helpers })}
      />
    </div>
  )
}
