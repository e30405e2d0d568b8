# usage: zsh -f complete.zsh SCRIPT LINE...
# Types each LINE and a tabulator into an interactive zsh that has loaded the completion SCRIPT, and
# prints the completed lines.
zmodload zsh/zpty
zpty shell zsh -f -i
# Lines of any width, no colours, no prompt; `show` prints the line between marks.
zpty -w shell "stty cols 2000 -echo; PS1=; unsetopt prompt_cr prompt_sp zle_bracketed_paste"
zpty -w shell "unset zle_bracketed_paste; autoload -Uz compinit; compinit -D -u; source ${(q)1}"
zpty -w shell "show() { print -r -- \"<line>\$BUFFER</line>\"; BUFFER= }; zle -N show; bindkey '^X' show"
zpty -w shell "print ready''now"
zpty -r shell output '*readynow*'
for line in "${@[2,-1]}"; do
  zpty -w -n shell $line$'\t'
  zpty -w -n shell $'\x18'
  zpty -r shell output '*<line>*</line>*'
  output=${output##*<line>}
  print -r -- "${output%%</line>*}"
done
zpty -d shell
