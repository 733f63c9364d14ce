import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { CLIENTS } from './client-lines.ts'

/** The lines that connect an MCP client with a new token, for the client that the person chooses. */
export function ConnectLines() {
  const [name, setName] = useState(CLIENTS[0]!.name)
  const { where, fromEnvironment, lines } = CLIENTS.find((client) => client.name === name)!
  return (
    <div className="space-y-2">
      <SelectField
        label={t('account.client')}
        hint={t(fromEnvironment ? 'account.client_environment' : 'account.client_asks')}
        value={name}
        onChange={setName}
        options={CLIENTS.map((client) => ({ value: client.name, label: client.name }))}
      />
      <CodeBlock code={lines(`${window.location.origin}/mcp`)} language={where} wrap />
    </div>
  )
}
