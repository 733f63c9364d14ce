import { CopyButton } from '../parts/controls/copy-button.tsx'

/** Shows all host keys of the machine it is run on, as they are compared with what it showed over the network. */
const COMMAND = 'for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$key"; done'

export function ShowKeysCommand() {
  return (
    <p className="bg-sunken mt-2 flex items-start gap-2 rounded-md px-2.5 py-1">
      <code className="min-w-0 flex-1 py-1 text-sm break-all">{COMMAND}</code>
      <CopyButton text={COMMAND} />
    </p>
  )
}
