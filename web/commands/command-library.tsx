import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Download, FolderPlus, Plus, Replace, Upload, Zap } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../client/api.ts'
import { NameDialog } from '../chat/list/name-dialog.tsx'
import { closeOverlay, openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { HiddenFileInput } from '../parts/controls/hidden-file-input.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Menu } from '../parts/controls/menu.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { SearchBox } from '../parts/controls/search-box.tsx'
import { queryClient } from '../client/query-client.ts'
import { CommandGroup } from './command-group.tsx'
import { CommandRow } from './command-row.tsx'
import { commandsQuery } from './commands-query.ts'
import { findCommands } from './find-commands.ts'
import { ImportNotice } from './import-notice.tsx'
import { PromptGroup } from './prompt-group.tsx'
import { useCommandFile } from './use-command-file.ts'
import { useRunCommand } from './use-run-command.ts'

/** All quick commands by folder: find, run, create, edit, move, delete, export and import. */
export function CommandLibrary() {
  const query = useQuery(commandsQuery)
  const [search, setSearch] = useState('')
  const [naming, setNaming] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const file = useCommandFile()
  const run = useRunCommand()
  const create = (): void => openOverlay({ kind: 'edit_command', command: null, back: true })
  const pick = (onConflict: 'rename' | 'replace'): void => {
    file.prepare(onConflict)
    picker.current?.click()
  }
  return (
    <Dialog open onOpenChange={(open) => open || closeOverlay()} title={t('commands.title')} size="lg">
      <div className="sticky -top-2 z-10 -mx-1 flex items-center gap-2 bg-raised px-1 pt-2 pb-2">
        <SearchBox
          label={t('commands.search')}
          value={search}
          onChange={setSearch}
          autoFocus={matchMedia('(pointer: fine)').matches}
          className="flex-1"
        />
        <Button variant="primary" icon={Plus} onClick={create} aria-label={t('commands.new')}>
          <span className="max-sm:hidden">{t('commands.new')}</span>
        </Button>
        <Menu
          align="end"
          trigger={<IconButton label={t('commands.more')} icon={Ellipsis} />}
          entries={[
            { label: t('commands.folder_new'), icon: FolderPlus, onSelect: () => setNaming(true) },
            'separator',
            { label: t('commands.import'), icon: Upload, onSelect: () => pick('rename') },
            { label: t('commands.import_replace'), icon: Replace, onSelect: () => pick('replace') },
            { label: t('commands.export'), icon: Download, onSelect: () => void file.save() },
          ]}
        />
        <HiddenFileInput
          ref={picker}
          accept=".json,application/json"
          label={t('commands.import')}
          onFile={(chosen) => void file.load(chosen)}
        />
      </div>
      {file.error !== null && <ImportNotice error={file.error} />}
      <QueryView query={query} failed={t('commands.load_failed')} loading={<SkeletonRows rows={5} className="h-11" />}>
        {({ items, folders }) => {
          if (items.length === 0 && folders.length === 0) {
            return (
              <EmptyState
                icon={Zap}
                level={3}
                title={t('commands.empty_title')}
                text={t('commands.empty_text')}
                actions={
                  <Button icon={Plus} onClick={create}>
                    {t('commands.new')}
                  </Button>
                }
              />
            )
          }
          const found = findCommands(items, folders, search)
          if (found.length === 0 && search.trim() !== '')
            return <p className="px-2.5 py-4 text-muted">{t('commands.no_match', { query: search.trim() })}</p>
          return (
            <div className="space-y-2">
              {[null, ...folders].map((folder) => {
                const members = found.filter((command) => command.folder_id === (folder?.folder_id ?? null))
                if (members.length === 0 && (search.trim() !== '' || (folder === null && folders.length === 0)))
                  return null
                const rows = (
                  <ul>
                    {members.map((command) => (
                      <CommandRow
                        key={command.command_id}
                        command={command}
                        folders={folders}
                        onRun={() => {
                          closeOverlay()
                          run(command)
                        }}
                      />
                    ))}
                  </ul>
                )
                return (
                  <CommandGroup key={folder?.folder_id ?? ''} folder={folder} members={members}>
                    {rows}
                  </CommandGroup>
                )
              })}
            </div>
          )
        }}
      </QueryView>
      <PromptGroup search={search} />
      {naming && (
        <NameDialog
          title={t('commands.folder_new')}
          label={t('commands.name')}
          value=""
          maxLength={80}
          onClose={() => setNaming(false)}
          onSave={async (name) => {
            await call('POST /api/quick-command-folders', { body: { name } })
            await queryClient.invalidateQueries({ queryKey: ['commands'] })
          }}
        />
      )}
    </Dialog>
  )
}
