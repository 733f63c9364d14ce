/** Days that an access token for an MCP client counts at most. */
export const MCP_TOKEN_DAYS = 90
