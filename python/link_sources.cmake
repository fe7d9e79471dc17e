# Links the files of the folder FROM into the folder TO.
file(GLOB files RELATIVE ${FROM} ${FROM}/*)
list(FILTER files EXCLUDE REGEX "__pycache__")
foreach(name ${files})
  file(CREATE_LINK ${FROM}/${name} ${TO}/${name} SYMBOLIC)
endforeach()
