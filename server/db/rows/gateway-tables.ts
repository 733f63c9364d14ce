/** A call that an MCP client has made: its run, which may be deleted before it. */
export interface GatewayCallTable {
  run_id: string
  user_id: string
  /** The access token. */
  client_id: string
  /** Of the tool and its arguments. */
  request_hash: string
  created_at: number
}
