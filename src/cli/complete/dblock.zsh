#compdef dblock
# SPDX-License-Identifier: MIT
# Completion of dblock's command lines in zsh. The program knows what fits; this tells it what is typed.

_dblock()
{
	local -a lines choices
	local kind line

	lines=("${(@f)$(${~${(Q)words[1]}} complete zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
	kind=$lines[1]
	case $kind in
	words)
		for line in "${(@)lines[2,-1]}"; do
			choices+=("${${line%%$'\t'*}//:/\\:}${${(M)line%$'\t'*}/$'\t'/:}")
		done
		_describe dblock choices
		;;
	files | directories)
		compset -P '--*='
		if [[ $kind == files ]]; then _files; else _files -/; fi
		;;
	command*)
		shift ${kind#command } words
		((CURRENT -= ${kind#command }))
		_normal
		;;
	esac
}

if [[ $funcstack[1] == _dblock ]]; then
	_dblock "$@"
else
	compdef _dblock dblock
fi
