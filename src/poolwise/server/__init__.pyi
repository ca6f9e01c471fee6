from ._address import Address as Address
from ._serving import links_of as links_of
from ._serving import serve as serve
