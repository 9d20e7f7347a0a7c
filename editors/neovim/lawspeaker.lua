-- The language server of Lawspeaker for rule files.
vim.filetype.add({ extension = { law = "law" } })
vim.lsp.config("lawspeaker", { cmd = { "lawspeaker", "lsp" }, filetypes = { "law" } })
vim.lsp.enable("lawspeaker")

vim.api.nvim_create_autocmd("FileType", {
  pattern = "law",
  callback = function() vim.bo.commentstring = "// %s" end,
})
vim.api.nvim_create_autocmd("BufWritePre", {
  pattern = "*.law",
  callback = function() vim.lsp.buf.format({ name = "lawspeaker" }) end,
})
