import { contract } from '../../../contract/index.ts'
import type { TestClient } from '../client.ts'
import type { SystemdMachine } from '../machines/systemd-machines.ts'

const { addHost, pinHost, setupScript } = contract.hosts

/** Adds a machine as an administrator does without the page: its script is run there as root, and its host key pinned. */
export async function setUpMachine(admin: TestClient, { name, address, sh }: SystemdMachine): Promise<string> {
  const { host_id } = (await admin.call(addHost, { body: { name, address, tags: [] } })).host
  const { script } = await admin.call(setupScript, { query: { host_id } })
  const host_key = sh('sh -s', script)
  await admin.call(pinHost, { params: { host_id }, body: { host_key } })
  return host_id
}
