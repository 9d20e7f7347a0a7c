[(block) (parentheses) (brackets)] @indent
["}" ")" "]"] @outdent
