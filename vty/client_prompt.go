package vty

import "bytes"

// Prompt returns the prompt that the client stands at, "PoolGW# ".
func (c *Client) Prompt() string {
	return string(c.text[bytes.LastIndexByte(c.text, '\n')+1:])
}
