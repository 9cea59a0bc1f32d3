# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of dblock's command lines in bash. The program knows what fits; this tells it what is typed.

# Sets words[], without quotes, up to the cursor, and starts[], where each begins in COMP_WORDS: what bash
# has cut at a colon or an equals sign is one word of ours. raw: the last one as it stands; cut: so much of
# it is not what bash will replace.
_dblock_read_words()
{
	local rest=$COMP_LINE i n=-1 word
	for ((i = 0; i <= COMP_CWORD; i++)); do
		if [[ $n -lt 0 || $rest == [[:space:]]* ]]; then
			rest=${rest#"${rest%%[![:space:]]*}"}
			words[++n]='' starts[n]=$i
		fi
		word=${COMP_WORDS[i]}
		if ((i == COMP_CWORD)); then
			word=${word:0:COMP_POINT - ${#COMP_LINE} + ${#rest}}
			cut=${words[n]}
			[[ $word == *[!:=]* ]] || cut+=$word
		fi
		words[n]+=$word
		rest=${rest#"${COMP_WORDS[i]}"}
	done
	raw=${words[n]}
	words=("${words[@]//[\'\"\\]/}")
}

# Another program's command line begins at that word of COMP_WORDS.
_dblock_command()
{
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$raw")
	else
		compopt -o default
	fi
}

# Each as it has to be typed.
_dblock_reply()
{
	local line
	while IFS= read -r line; do
		line=${line%%$'\t'*}
		[[ $line == "${words[-1]}"* ]] || continue
		line=${line#"${cut//[\'\"\\]/}"}
		[[ $raw == [\'\"]* ]] || printf -v line %q "$line"
		COMPREPLY+=("$line")
	done
}

_dblock()
{
	local words=() starts=() raw cut kind
	COMPREPLY=()
	_dblock_read_words
	{
		read -r kind
		case $kind in
		words) _dblock_reply ;;
		files) compopt -o default ;;
		directories) compopt -o dirnames ;;
		esac
	} < <("${COMP_WORDS[0]}" complete bash -- "${words[@]}" 2>/dev/null)
	[[ $kind != command* ]] || _dblock_command "${starts[${kind#command }]}"
}

complete -F _dblock dblock
