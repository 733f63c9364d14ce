import type { Capabilities } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { hostInWords } from './setting-hosts.ts'

const inWords = (host: string): string => hostInWords(host, (title) => t('modules.host_of', { title }))

/** A module's access in words. */
export function GrantsText({ grants: { network, folders, commands } }: { readonly grants: Capabilities }) {
  return (
    <ul className="space-y-0.5">
      <li>
        {typeof network === 'string' ? (
          t(`modules.reach_network_${network}`)
        ) : (
          <>
            {t('modules.reach_network_hosts')}{' '}
            <span className="font-mono text-sm break-all">{network.map(inWords).join(', ')}</span>
          </>
        )}
      </li>
      {folders.map(({ path, write }) => (
        <li key={path}>
          {t(write ? 'modules.reach_write' : 'modules.reach_read')}{' '}
          <span className="font-mono text-sm break-all">{path}</span>
        </li>
      ))}
      {folders.length === 0 && <li>{t('modules.folders_none')}</li>}
      {commands.length > 0 && (
        <li>
          {t('modules.reach_commands')} <span className="font-mono text-sm break-all">{commands.join(', ')}</span>
        </li>
      )}
    </ul>
  )
}
